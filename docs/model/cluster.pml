/* The commit of batches, with one of: leases and what is shown (LEASES), votes while a
 * node drains (DRAINS), a voter that forgets (FORGETS). cluster-test/model is the same in Go.
 *
 * Three nodes, two batches, explored in full by spin. A step is one message and its
 * effect. What is not modelled: clocks (a lease ends at any moment, for the node first and
 * for the leader after that), snapshots, the shards themselves.
 *
 * Planted faults, each a macro that run.sh defines:
 *   ONE_VOTE      a drain takes votes from sound nodes (before docs/adr/0031)
 *   NO_GUARD      applied entries are taken back (before docs/adr/0032)
 *   NO_RECALL     a node starts without asking what others remember of it (the same)
 *   SHOW_EARLY    the end of a batch is shown before all leased nodes have applied it
 *   LEASE_FORGOT  a new leader does not count the leases of the one before
 *   OLD_TERM      copies of an entry count that is of an older term than the leader
 */
#define N 3
#ifndef TERMS
#define TERMS 2 /* elections, from 1 on */
#endif
#define MAJ(v) ((v) / 2 + 1)
#define HAS(n, i, e) (size[n] > (i) && log[(n) * 2 + (i)] == (e))

byte log[6];       /* log[2n+i]: entry i of node n: term*2 + batch, 0 = none */
byte size[N];       /* entries on the disk of n */
byte applied[N];   /* entries applied by n, no more than size */
byte did[6];       /* what n applied as entry i: log at that time */
byte term[N];      /* the newest that n has seen; its vote in it is given */
bit up[N];         /* runs and is connected */
bit ended[N];      /* has met another history, or did not start */
bit follows[N];    /* has heard from the leader of this term */
bit votes[N];
bit lease[N];      /* n may answer */
bit counted[N];    /* the leader counts n as leased: true for longer than lease[n] */
byte known[N];     /* entries that others have heard n has applied */
byte leader = N;   /* who leads, N = nobody; its term is term[leader] */
byte newest = 0;   /* term given last */
byte shown = 0;    /* entries that some node called succeeded */
byte ack[2];       /* entry that was acknowledged as number i, 0 = none */
byte pledged = 3;
bit forgot = 0;    /* one voter forgets, once */
bit blind = 0;     /* when it did, nobody served who knew better */
bit drained = 0;
bit batch = 0;      /* the batch that is appended batch */
byte i, j, n, k;

inline count_votes() { k = 0; for (j : 0 .. N-1) { k = k + votes[j]; } }

/* A log is up to date if its last entry is of a later term, or as long in the same. */
inline last_term(m, t) { if :: size[m] == 0 -> t = 0; :: else -> t = log[m * 2 + size[m] - 1] / 2; fi }

byte a, b, yes;

/* n asks all others that it can reach for their votes. */
inline elect(c) {
  count_votes(); yes = 1; last_term(c, a);
  for (j : 0 .. N-1) {
    if
    :: j != c && votes[j] && up[j] && !ended[j] && term[j] <= newest ->
       last_term(j, b);
       if :: a > b || a == b && size[c] >= size[j] -> yes++; :: else -> skip; fi
    :: else -> skip;
    fi
  }
  if
  :: yes >= MAJ(k) ->
     newest++; leader = c;
     for (j : 0 .. N-1) {
       follows[j] = (j == c);
       if :: votes[j] && up[j] && !ended[j] -> term[j] = newest; :: else -> skip; fi
#ifdef LEASE_FORGOT
       counted[j] = 0;
#endif
     }
  :: else -> skip;
  fi
}

/* The leader sends its whole log to f. */
inline replicate(f) {
  term[f] = term[leader];
  a = 0; /* the first entry that differs */
  do :: a < size[f] && a < size[leader] && log[f*2+a] == log[leader*2+a] -> a++; :: else -> break; od
  if
#ifndef NO_GUARD
  /* It has applied what the leader does not have. If the log of the leader just ends
     before that, both end: a report tells. */
  :: a < applied[f] -> ended[f] = 1; up[f] = 0; lease[f] = 0;
     if :: size[leader] <= a -> ended[leader] = 1; up[leader] = 0; lease[leader] = 0; :: else -> skip; fi
#endif
  :: else ->
     if
     :: a < size[leader] -> size[f] = size[leader];
        for (j : 0 .. 1) { log[f*2+j] = log[leader*2+j]; }
     :: else -> skip; /* the rest is not contradicted */
     fi;
     follows[f] = 1
  fi
}

/* The leader commits the next entry, and applies it, once a majority has it and an entry of
   the leader's own term: copies of older ones alone do not count (Raft, figure 8). */
inline commit() {
  i = applied[leader]; count_votes(); yes = 0; b = 0; a = i;
  for (j : 0 .. N-1) { if :: HAS(j, i, log[leader*2+i]) -> b++; :: else -> skip; fi }
  do
  :: a < size[leader] && yes < MAJ(k) ->
     yes = 0;
#ifdef OLD_TERM
     if
#else
     if :: log[leader*2+a] / 2 != term[leader] -> skip;
#endif
     :: else -> for (j : 0 .. N-1) { if :: HAS(j, a, log[leader*2+a]) -> yes = yes + votes[j]; :: else -> skip; fi }
     fi;
     a++
  :: else -> break;
  od;
  if
  :: yes >= MAJ(k) ->
     /* Every disk counts that has the entry: as many as the pledge says. */
     assert(b >= MAJ(pledged));
     /* What was acknowledged stays, unless a voter forgot it where nobody could tell. */
     assert(ack[i] == 0 || ack[i] == log[leader*2+i] || blind);
     did[leader*2+i] = log[leader*2+i]; applied[leader]++; known[leader] = applied[leader];
     if :: ack[i] == 0 -> ack[i] = log[leader*2+i]; :: else -> skip; fi
  :: else -> skip;
  fi
}

/* a becomes how many entries the leader has of older terms: all that may have been shown
   before it led. It grants nothing and shows nothing until it has applied them. */
inline floor() { a = 0; do :: a < size[leader] && log[leader*2+a] / 2 < term[leader] -> a++; :: else -> break; od }

/* What must hold in every state. */
inline check() {
  for (n : 0 .. N-1) {
    for (j : 0 .. N-1) {
      for (i : 0 .. 1) {
        /* Nodes that serve have applied the same. Who learns otherwise has ended. */
        if :: up[n] && up[j] && !ended[n] && !ended[j] && follows[n] && follows[j] && applied[n] > i && applied[j] > i ->
              assert(did[n*2+i] == did[j*2+i]);
           :: else -> skip;
        fi
      }
    }
    /* Read your writes: whoever may answer has applied what anybody called succeeded. */
    if :: lease[n] && up[n] && !ended[n] -> assert(applied[n] >= shown); :: else -> skip; fi
  }
  n = 0; i = 0; j = 0; k = 0; a = 0; b = 0; yes = 0;
}

#define LEADS (leader < N && up[leader] && !ended[leader])
#define SERVES(f) (up[f] && !ended[f])
#ifdef SHOW_EARLY
#define WAITS(f) 0
#else
#define WAITS(f) (counted[f] && applied[f] <= shown)
#endif

active proctype cluster() {
  atomic { for (n : 0 .. N-1) { up[n] = 1; votes[n] = 1; } n = 0; }
  do
  /* A node is cut off or comes back; the leader among them ceases to lead. */
  :: atomic { select(n : 0 .. N-1);
       d_step { if :: !ended[n] -> up[n] = !up[n]; :: else -> skip; fi; check(); } }
  :: atomic { newest < TERMS; select(n : 0 .. N-1);
       d_step { if :: SERVES(n) && votes[n] && leader != n -> elect(n); :: else -> skip; fi; check(); } }
  :: d_step { LEADS && size[leader] < 2 ->
       log[leader*2+size[leader]] = term[leader]*2 + batch; size[leader]++; batch = !batch; check(); }
  :: atomic { LEADS; select(n : 0 .. N-1);
       d_step { if :: n != leader && SERVES(n) && term[n] <= term[leader] -> replicate(n); :: else -> skip; fi; check(); } }
  :: d_step { LEADS && term[leader] == newest && size[leader] > applied[leader] -> commit(); check(); }
  /* A follower applies what its leader has committed, and reports it. */
  :: atomic { LEADS; select(n : 0 .. N-1);
       d_step { if :: n != leader && SERVES(n) && term[n] == term[leader] && applied[n] < applied[leader] && HAS(n, applied[n], log[leader*2+applied[n]]) ->
       did[n*2+applied[n]] = log[n*2+applied[n]]; applied[n]++; known[n] = applied[n]; :: else -> skip; fi; check(); } }
#ifdef LEASES
  /* A lease for who has applied everything that may have been shown; it ends at the node first. */
  :: atomic { LEADS && term[leader] == newest; select(n : 0 .. N-1);
       d_step { floor(); if :: SERVES(n) && applied[leader] >= a && applied[n] >= a && applied[n] >= shown -> lease[n] = 1; counted[n] = 1; :: else -> skip; fi; check(); } }
  :: atomic { select(n : 0 .. N-1);
       d_step { if :: lease[n] -> lease[n] = 0; :: else -> skip; fi; check(); } }
  :: atomic { select(n : 0 .. N-1);
       d_step { if :: counted[n] && !lease[n] -> counted[n] = 0; :: else -> skip; fi; check(); } }
  /* The leader shows an end that all nodes which it counts as leased have applied. */
  :: d_step { LEADS && term[leader] == newest && applied[leader] > shown && !WAITS(0) && !WAITS(1) && !WAITS(2) ->
       floor(); if :: applied[leader] >= a -> shown++; :: else -> skip; fi; check(); }
#endif
#ifdef DRAINS
  /* An operator drains node 2. Copies move, votes do not. */
  :: d_step { !drained && LEADS -> drained = 1;
#ifdef ONE_VOTE
       votes[2] = 0; if :: leader == 0 -> votes[1] = 0; :: else -> votes[0] = 0; fi
#endif
       check(); }
#endif
#ifdef FORGETS
  /* An older copy of the folder of a node is put back, and the node starts. */
  :: atomic { !forgot; select(n : 0 .. N-1);
       d_step { if :: n != leader && size[n] > 0 && !ended[n] ->
       forgot = 1; follows[n] = 0; lease[n] = 0; counted[n] = 0; size[n] = 0; applied[n] = 0; log[n*2] = 0; log[n*2+1] = 0; did[n*2] = 0; did[n*2+1] = 0;
       yes = 0; for (j : 0 .. N-1) { if :: j != n && SERVES(j) && known[n] > 0 -> yes = 1; :: else -> skip; fi }
       if :: yes -> skip; :: else -> blind = 1; fi
#ifdef NO_RECALL
       up[n] = 1;
#else
       if :: yes -> ended[n] = 1; up[n] = 0; :: else -> up[n] = 1; fi
#endif
       :: else -> skip; fi; check(); } }
#endif
  od
}
