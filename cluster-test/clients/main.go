package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/robin"
)

const masterKey = "the master key of the clients"

func main() {
	binary := flag.String("binary", "bin/shoal", "the program")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := clients(ctx, *binary); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

func clients(ctx context.Context, binary string) error {
	dir, err := os.MkdirTemp("", "shoal-clients-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := clustertest.New(binary, dir, 3, "SHOAL_MASTER_KEY="+masterKey)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	var urls []string
	for _, n := range c.Nodes {
		urls = append(urls, "http://"+n.HTTP)
	}
	front, err := robin.New(c.Nodes, robin.Between{})
	if err != nil {
		return err
	}
	all := languages(dir)
	for i := range all {
		err = errors.Join(err, all[i].install(ctx))
	}
	if err == nil {
		err = errors.Join(
			use(ctx, all, "every step on another node", strings.Join(urls, ",")),
			use(ctx, all, "one address, every request on another node", front.URL),
		)
	}
	return errors.Join(err, front.Close())
}

// use runs the scripts of all languages that are there against some addresses.
func use(ctx context.Context, languages []language, what, urls string) (err error) {
	fmt.Println(what)
	for _, l := range languages {
		if !l.there {
			continue
		}
		env := append(l.env, "SHOAL_URLS="+urls, "SHOAL_KEY="+masterKey)
		err = errors.Join(err, l.wrap(command(ctx, l.dir, env, l.run...)))
	}
	return err
}
