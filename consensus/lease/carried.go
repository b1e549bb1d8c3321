package lease

import "shoal/wire"

// Carried is the answer that goes with the next heartbeat to a node. There is none if the node has
// not reported in this term, or if heartbeats are frequent because somebody reads.
func (t *Table) Carried(node wire.NodeID) (answer Answer, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	s := t.nodes[node]
	if s == nil || s.spoke == 0 || s.carriedAt != 0 && now-s.carriedAt < int64(t.cfg.Heartbeat/10) {
		return Answer{}, false
	}
	s.carriedAt = now
	answer = s.carried
	if answer.Carried != 0 {
		answer.Held = now - s.spoken
	}
	answer.Clock, answer.Term = now, t.cfg.Term
	return answer, true
}

// keep stores the answer to a report that came inside an answer to a heartbeat; it leaves
// with the next heartbeat. A watermark that is newer than what the node was told does not
// wait for that. The caller holds t.mu.
func (s *standing) keep(answer Answer, number uint64, told, now int64) {
	s.carried, s.spoken, s.told = answer, now, told
	s.carried.Carried = number
}
