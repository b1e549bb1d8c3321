package placement

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"shoal/coordinator"
	"shoal/wire"
)

// Level is the urgency of a state or a condition.
type Level string

// The levels, from the least to the most urgent.
const (
	LevelOK       Level = "ok"
	LevelWarning  Level = "warning"
	LevelCritical Level = "critical"
)

// The names of conditions are stable. Metrics use them in the label `condition`, GET
// /cluster/status in a member.
const (
	NoQuorum           = "noQuorum"
	NoLeader           = "noLeader"
	ShardsUnavailable  = "shardsUnavailable"
	NodesAway          = "nodesAway"
	CopiesMissing      = "copiesMissing"
	VotesAtRisk        = "votesAtRisk"
	VotesMissing       = "votesMissing"
	ZonesAtRisk        = "zonesAtRisk"
	Damage             = "damage"
	DiskFilling        = "diskFilling"
	BackupsFail        = "backupsFail"
	BackupOld          = "backupOld"
	QueueOld           = "queueOld"
	ServerErrors       = "serverErrors"
	SearchesSlow       = "searchesSlow"
	CertificateExpires = "certificateExpires"
	VersionsMixed      = "versionsMixed"
)

// Conditions lists every name with its level, in the order in which a state reports them.
func Conditions() []Condition {
	return []Condition{
		{Name: NoQuorum, Level: LevelCritical},
		{Name: NoLeader, Level: LevelCritical},
		{Name: ShardsUnavailable, Level: LevelCritical},
		{Name: NodesAway, Level: LevelWarning},
		{Name: CopiesMissing, Level: LevelWarning},
		{Name: VotesAtRisk, Level: LevelWarning},
		{Name: VotesMissing, Level: LevelWarning},
		{Name: ZonesAtRisk, Level: LevelWarning},
		{Name: Damage, Level: LevelWarning},
		{Name: DiskFilling, Level: LevelWarning},
		{Name: BackupsFail, Level: LevelWarning},
		{Name: BackupOld, Level: LevelWarning},
		{Name: QueueOld, Level: LevelWarning},
		{Name: ServerErrors, Level: LevelWarning},
		{Name: SearchesSlow, Level: LevelWarning},
		{Name: CertificateExpires, Level: LevelWarning},
		{Name: VersionsMixed, Level: LevelWarning},
	}
}

// Condition is something that an operator should know.
type Condition struct {
	Name  string `json:"condition" msgpack:"n"`
	Level Level  `json:"level" msgpack:"l"`
	Says  string `json:"says" msgpack:"s"`
}

// State is what a cluster can do now. Says is one line: "serving", or the conditions, the most
// urgent first. Every report to an operator about the state of the cluster shows it.
type State struct {
	Level      Level       `json:"level"`
	Says       string      `json:"says"`
	Conditions []Condition `json:"conditions"`
}

// View is what one node sees of its cluster at one moment: the catalogue, and the nodes that
// answered.
type View struct {
	Catalog coordinator.Catalog
	// Fresh tells whether the node had contact to the leader. Otherwise the catalogue may be as
	// old as the last start.
	Fresh   bool
	Answers map[wire.NodeID]bool // nil: all nodes answer
	Leader  wire.NodeID          // "" while no leader is known
	Voters  []wire.NodeID
	Votes   int // the number that the cluster aims for, 0 until the leader has recorded it
	// Damage describes what disks have lost.
	Damage []string
	// Told are conditions that nodes report about themselves.
	Told []Condition
	// Waited is the time that the oldest unfinished task has been in the queue.
	Waited time.Duration
}

// shownNames bounds the nodes and indexes that a sentence names.
const shownNames = 3

// oldQueue is the age of a task in the queue from which on an operator should look.
const oldQueue = time.Hour

// StateOf judges a view. It is a pure function.
func StateOf(p Placement, v *View) State {
	var found []Condition
	add := func(name, says string, args ...any) {
		found = append(found, Condition{Name: name, Says: fmt.Sprintf(says, args...)})
	}
	v.writes(add)
	unanswered, missing := v.shards(p)
	if len(unanswered) > 0 {
		says := strings.Join(unanswered[:min(shownNames, len(unanswered))], "; ")
		if more := len(unanswered) - shownNames; more > 0 {
			says += fmt.Sprintf("; the same of %d more indexes", more)
		}
		add(ShardsUnavailable, "%s", says)
	}
	if away := v.away(); len(away) > 0 {
		verb := "does"
		if len(away) > 1 {
			verb = "do"
		}
		add(NodesAway, "%s %s not answer", names(away), verb)
	}
	switch {
	case missing == 1:
		add(CopiesMissing, "1 shard misses copies")
	case missing > 1:
		add(CopiesMissing, "%d shards miss copies", missing)
	}
	v.zonesAtRisk(p, add)
	for _, d := range v.Damage {
		add(Damage, "%s", d)
	}
	if v.Waited > oldQueue {
		add(QueueOld, "the oldest task has been in the queue for %s", v.Waited.Round(time.Minute))
	}
	if older := v.older(); len(older) > 0 {
		add(VersionsMixed, "the program of %s is older than that of others", names(older))
	}
	return stateWith(append(found, v.Told...))
}

// stateWith sorts conditions and joins them to one sentence.
func stateWith(found []Condition) State {
	s := State{Level: LevelOK, Says: "serving", Conditions: []Condition{}}
	var says []string
	for _, kind := range Conditions() {
		for _, c := range found {
			if c.Name != kind.Name {
				continue
			}
			c.Level = kind.Level
			if s.Level == LevelOK || c.Level == LevelCritical {
				s.Level = c.Level
			}
			s.Conditions = append(s.Conditions, c)
			says = append(says, c.Says)
		}
	}
	switch s.Level {
	case LevelWarning:
		says = slices.Insert(says, 0, "serving")
	case LevelOK:
		return s
	}
	s.Says = strings.Join(says, "; ")
	return s
}

// writes judges whether writes are accepted.
func (v *View) writes(add func(name, says string, args ...any)) {
	held, answer := len(v.Voters), 0
	for _, id := range v.Voters {
		if v.answers(id) {
			answer++
		}
	}
	voters := "voters answer"
	if held == 1 {
		voters = "voter answers"
	}
	switch need := wire.Majority(held); {
	case held > 0 && answer < need:
		add(NoQuorum, "writes are refused: %d of %d %s", answer, held, voters)
	case v.Leader == "" || !v.answers(v.Leader):
		add(NoLeader, "writes wait for a leader: %d of %d %s", answer, held, voters)
	case held > 2 && answer == need:
		add(VotesAtRisk, "writes stop when one more voter fails: %d of %d %s", answer, held, voters)
	}
	// While an heir is catching up, three votes still let one node fail unnoticed.
	if heir := v.Heir(); held > 0 && held < v.Votes && (heir == "" || held < 3) {
		add(VotesMissing, "%d of %d votes are held: %s", held, v.Votes, Succession(heir))
	}
}

// Heir names a member that takes a missing vote by itself, "" if there is none.
func (v *View) Heir() string {
	var called []string
	for _, n := range v.Catalog.Nodes() {
		if n.Voter && !n.Draining && v.answers(n.ID) && !slices.Contains(v.Voters, n.ID) {
			called = append(called, v.name(n.ID))
		}
	}
	if len(called) == 0 {
		return ""
	}
	return slices.Min(called)
}

// Succession says what has to happen until a missing vote is held again.
func Succession(heir string) string {
	if heir == "" {
		return "start another node that may vote"
	}
	return heir + " takes one when it has kept up for some seconds"
}

// shards says which indexes have shards without a copy that answers, an entry an index,
// and counts the other shards that miss copies which they need to survive failures.
func (v *View) shards(p Placement) (unanswered []string, missing int) {
	goals := p.goalsOf(v.Catalog)
	for _, x := range v.Catalog.Indexes() {
		needed := goals.needed(x)
		silent := 0
		var dead []wire.NodeID // nodes with copies of silent shards
		for i := range x.Shards {
			good := 0
			for _, r := range x.Shards[i].Replicas {
				if r.State == wire.InSync && v.answers(r.Node) {
					good++
				}
			}
			switch {
			case good == 0:
				silent++
				for _, r := range x.Shards[i].Replicas {
					if r.State == wire.InSync && !slices.Contains(dead, r.Node) {
						dead = append(dead, r.Node)
					}
				}
			case good < needed:
				missing++
			}
		}
		if silent > 0 {
			what := x.UID + " does not answer: "
			if silent < len(x.Shards) {
				what = "part of " + what
			}
			unanswered = append(unanswered, what+v.whereCopiesAre(dead))
		}
	}
	return unanswered, missing
}

// whereCopiesAre explains why shards do not answer whose complete copies are on the given
// nodes.
func (v *View) whereCopiesAre(nodes []wire.NodeID) string {
	var called []string
	for _, id := range nodes {
		called = append(called, v.name(id))
	}
	slices.Sort(called)
	switch len(called) {
	case 0:
		return "no node has a complete copy"
	case 1:
		return "its only copy is on a dead node (" + called[0] + ")"
	case 2:
		return "both copies are on dead nodes (" + names(called) + ")"
	}
	return "all copies are on dead nodes (" + names(called) + ")"
}

// away names the members that do not answer.
func (v *View) away() (called []string) {
	for _, n := range v.Catalog.Nodes() {
		if !v.answers(n.ID) {
			called = append(called, v.name(n.ID))
		}
	}
	slices.Sort(called)
	return called
}

func (v *View) answers(id wire.NodeID) bool { return v.Answers == nil || v.Answers[id] }

// older names the members whose program is older than that of others.
func (v *View) older() (called []string) {
	newest := 0
	for _, n := range v.Catalog.Nodes() {
		newest = max(newest, n.Version)
	}
	for _, n := range v.Catalog.Nodes() {
		if n.Version < newest {
			called = append(called, v.name(n.ID))
		}
	}
	slices.Sort(called)
	return called
}

func (v *View) name(id wire.NodeID) string {
	if n, ok := v.Catalog.Node(id); ok && n.Name != "" {
		return n.Name
	}
	return string(id)
}

// names joins a few names: "a", "a and b", "a, b, c and 2 more".
func names(all []string) string {
	switch n := len(all); {
	case n == 1:
		return all[0]
	case n <= shownNames:
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	default:
		return fmt.Sprintf("%s and %d more", strings.Join(all[:shownNames], ", "), n-shownNames)
	}
}
