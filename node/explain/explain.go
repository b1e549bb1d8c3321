package explain

import (
	"encoding/json"
	"fmt"
	"strings"

	"shoal/coordinator/search"
)

// Text writes the explanation of the query q on the index uid.
func Text(uid, q string, e *search.Explanation) (string, error) {
	a := e.Answer
	var b strings.Builder
	fmt.Fprintf(&b, "%q in %s: %d hits of about %d, %s\n", q, uid, len(a.Hits), a.Pagination.Total, counted(e.Shards, "shard"))
	explainQuery(&b, e)
	explainBuckets(&b, e)
	for i, h := range a.Hits {
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, excerpt(h.Document))
		if h.RankingScore != nil {
			fmt.Fprintf(&b, "   score %.6f\n", *h.RankingScore)
		}
		if err := explainRules(&b, h.RankingScoreDetails); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// explainRules prints one line per rule, in the order of the rules.
func explainRules(b *strings.Builder, details []byte) error {
	if len(details) == 0 {
		return nil
	}
	var rules map[string]map[string]any
	if err := json.Unmarshal(details, &rules); err != nil {
		return fmt.Errorf("details of a hit: %w", err)
	}
	for order := range len(rules) {
		for name, d := range rules {
			if n, ok := d["order"].(float64); !ok || int(n) != order {
				continue
			}
			delete(d, "order")
			said, err := json.Marshal(d)
			if err != nil {
				return fmt.Errorf("details of a hit: %w", err)
			}
			fmt.Fprintf(b, "   %-16s %s\n", name, said[1:len(said)-1])
		}
	}
	return nil
}

// excerpt is the beginning of a document, for recognition.
func excerpt(doc []byte) string {
	const most = 100
	if r := []rune(string(doc)); len(r) > most {
		return string(r[:most]) + " ..."
	}
	return string(doc)
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
