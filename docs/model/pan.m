#define rand	pan_rand
#define pthread_equal(a,b)	((a)==(b))
#if defined(HAS_CODE) && defined(VERBOSE)
	#ifdef BFS_PAR
		bfs_printf("Pr: %d Tr: %d\n", II, t->forw);
	#else
		cpu_printf("Pr: %d Tr: %d\n", II, t->forw);
	#endif
#endif
	switch (t->forw) {
	default: Uerror("bad forward move");
	case 0:	/* if without executable clauses */
		continue;
	case 1: /* generic 'goto' or 'skip' */
		IfNotBlocked
		_m = 3; goto P999;
	case 2: /* generic 'else' */
		IfNotBlocked
		if (trpt->o_pm&1) continue;
		_m = 3; goto P999;

		 /* PROC cluster */
	case 3: // STATE 1 - cluster.pml:130 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][1] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 4: // STATE 2 - cluster.pml:130 - [((n<=(3-1)))] (8:0:3 - 1)
		IfNotBlocked
		reached[0][2] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: up[n] = 1(8, 3, 8) */
		reached[0][3] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.up[ Index(((int)now.n), 3) ]);
		now.up[ Index(now.n, 3) ] = 1;
#ifdef VAR_RANGES
		logval("up[n]", ((int)now.up[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: votes[n] = 1(8, 4, 8) */
		reached[0][4] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.votes[ Index(((int)now.n), 3) ]);
		now.votes[ Index(now.n, 3) ] = 1;
#ifdef VAR_RANGES
		logval("votes[n]", ((int)now.votes[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: n = (n+1)(8, 5, 8) */
		reached[0][5] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 9, 8) */
		reached[0][9] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 5: // STATE 11 - cluster.pml:130 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][11] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 6: // STATE 13 - cluster.pml:133 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][13] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 7: // STATE 14 - cluster.pml:133 - [((n<(3-1)))] (17:0:1 - 1)
		IfNotBlocked
		reached[0][14] = 1;
		if (!((((int)now.n)<(3-1))))
			continue;
		/* merge: n = (n+1)(0, 15, 17) */
		reached[0][15] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 18, 17) */
		reached[0][18] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 8: // STATE 20 - cluster.pml:133 - [(!(ended[n]))] (65:0:1 - 2)
		IfNotBlocked
		reached[0][20] = 1;
		if (!( !(((int)now.ended[ Index(((int)now.n), 3) ]))))
			continue;
		/* merge: up[n] = !(up[n])(0, 21, 65) */
		reached[0][21] = 1;
		(trpt+1)->bup.oval = ((int)now.up[ Index(((int)now.n), 3) ]);
		now.up[ Index(now.n, 3) ] =  !(((int)now.up[ Index(((int)now.n), 3) ]));
#ifdef VAR_RANGES
		logval("up[n]", ((int)now.up[ Index(((int)now.n), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 9: // STATE 22 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][22] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 10: // STATE 23 - cluster.pml:110 - [((n<=(3-1)))] (43:0:1 - 1)
		IfNotBlocked
		reached[0][23] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 24, 43) */
		reached[0][24] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 44, 43) */
		reached[0][44] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 11: // STATE 25 - cluster.pml:111 - [((j<=(3-1)))] (37:0:1 - 1)
		IfNotBlocked
		reached[0][25] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 26, 37) */
		reached[0][26] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 38, 37) */
		reached[0][38] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 12: // STATE 27 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][27] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 13: // STATE 28 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (37:0:1 - 1)
		IfNotBlocked
		reached[0][28] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(37, 29, 37) */
		reached[0][29] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(37, 33, 37) */
		reached[0][33] = 1;
		;
		/* merge: i = (i+1)(37, 34, 37) */
		reached[0][34] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 38, 37) */
		reached[0][38] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 14: // STATE 31 - cluster.pml:116 - [(1)] (37:0:1 - 1)
		IfNotBlocked
		reached[0][31] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(37, 33, 37) */
		reached[0][33] = 1;
		;
		/* merge: i = (i+1)(37, 34, 37) */
		reached[0][34] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 38, 37) */
		reached[0][38] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 15: // STATE 34 - cluster.pml:112 - [i = (i+1)] (0:37:1 - 3)
		IfNotBlocked
		reached[0][34] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 38, 37) */
		reached[0][38] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 16: // STATE 40 - cluster.pml:111 - [j = (j+1)] (0:43:1 - 3)
		IfNotBlocked
		reached[0][40] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 44, 43) */
		reached[0][44] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 17: // STATE 46 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (55:0:1 - 1)
		IfNotBlocked
		reached[0][46] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(55, 47, 55) */
		reached[0][47] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(55, 51, 55) */
		reached[0][51] = 1;
		;
		/* merge: n = (n+1)(55, 52, 55) */
		reached[0][52] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 56, 55) */
		reached[0][56] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 18: // STATE 49 - cluster.pml:121 - [(1)] (55:0:1 - 1)
		IfNotBlocked
		reached[0][49] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(55, 51, 55) */
		reached[0][51] = 1;
		;
		/* merge: n = (n+1)(55, 52, 55) */
		reached[0][52] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 56, 55) */
		reached[0][56] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 19: // STATE 52 - cluster.pml:110 - [n = (n+1)] (0:55:1 - 3)
		IfNotBlocked
		reached[0][52] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 56, 55) */
		reached[0][56] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 20: // STATE 58 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][58] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 59, 731) */
		reached[0][59] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 60, 731) */
		reached[0][60] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 61, 731) */
		reached[0][61] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 62, 731) */
		reached[0][62] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 63, 731) */
		reached[0][63] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 64, 731) */
		reached[0][64] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 21: // STATE 67 - cluster.pml:134 - [((newest<4))] (72:0:1 - 1)
		IfNotBlocked
		reached[0][67] = 1;
		if (!((((int)now.newest)<4)))
			continue;
		/* merge: n = 0(0, 68, 72) */
		reached[0][68] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 73, 72) */
		reached[0][73] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 22: // STATE 69 - cluster.pml:134 - [((n<(3-1)))] (72:0:1 - 1)
		IfNotBlocked
		reached[0][69] = 1;
		if (!((((int)now.n)<(3-1))))
			continue;
		/* merge: n = (n+1)(0, 70, 72) */
		reached[0][70] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 73, 72) */
		reached[0][73] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 23: // STATE 75 - cluster.pml:134 - [((((up[n]&&!(ended[n]))&&votes[n])&&(leader!=n)))] (0:0:0 - 2)
		IfNotBlocked
		reached[0][75] = 1;
		if (!((((((int)now.up[ Index(((int)now.n), 3) ])&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&&((int)now.votes[ Index(((int)now.n), 3) ]))&&(((int)now.leader)!=((int)now.n)))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 24: // STATE 76 - cluster.pml:41 - [k = 0] (0:83:2 - 1)
		IfNotBlocked
		reached[0][76] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: j = 0(83, 77, 83) */
		reached[0][77] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 84, 83) */
		reached[0][84] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 25: // STATE 78 - cluster.pml:41 - [((j<=(3-1)))] (83:0:2 - 1)
		IfNotBlocked
		reached[0][78] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: k = (k+votes[j])(83, 79, 83) */
		reached[0][79] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.k);
		now.k = (((int)now.k)+((int)now.votes[ Index(((int)now.j), 3) ]));
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: j = (j+1)(83, 80, 83) */
		reached[0][80] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 84, 83) */
		reached[0][84] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 26: // STATE 87 - cluster.pml:50 - [yes = 1] (0:94:1 - 3)
		IfNotBlocked
		reached[0][87] = 1;
		(trpt+1)->bup.oval = ((int)now.yes);
		now.yes = 1;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 27: // STATE 88 - cluster.pml:44 - [((size[n]==0))] (118:0:2 - 1)
		IfNotBlocked
		reached[0][88] = 1;
		if (!((((int)now.size[ Index(((int)now.n), 3) ])==0)))
			continue;
		/* merge: a = 0(118, 89, 118) */
		reached[0][89] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: .(goto)(118, 93, 118) */
		reached[0][93] = 1;
		;
		/* merge: j = 0(118, 95, 118) */
		reached[0][95] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 119, 118) */
		reached[0][119] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 28: // STATE 91 - cluster.pml:44 - [a = (log[(((n*2)+size[n])-1)]/2)] (0:118:2 - 1)
		IfNotBlocked
		reached[0][91] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.a);
		now.a = (((int)now.log[ Index((((((int)now.n)*2)+((int)now.size[ Index(((int)now.n), 3) ]))-1), 6) ])/2);
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: .(goto)(118, 93, 118) */
		reached[0][93] = 1;
		;
		/* merge: j = 0(118, 95, 118) */
		reached[0][95] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 119, 118) */
		reached[0][119] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 29: // STATE 95 - cluster.pml:51 - [j = 0] (0:118:1 - 3)
		IfNotBlocked
		reached[0][95] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 119, 118) */
		reached[0][119] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 30: // STATE 96 - cluster.pml:51 - [((j<=(3-1)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][96] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 31: // STATE 97 - cluster.pml:53 - [((((((j!=n)&&votes[j])&&up[j])&&!(ended[j]))&&(term[j]<=newest)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][97] = 1;
		if (!((((((((int)now.j)!=((int)now.n))&&((int)now.votes[ Index(((int)now.j), 3) ]))&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.term[ Index(((int)now.j), 3) ])<=((int)now.newest)))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 32: // STATE 98 - cluster.pml:44 - [((size[j]==0))] (109:0:1 - 1)
		IfNotBlocked
		reached[0][98] = 1;
		if (!((((int)now.size[ Index(((int)now.j), 3) ])==0)))
			continue;
		/* merge: b = 0(0, 99, 109) */
		reached[0][99] = 1;
		(trpt+1)->bup.oval = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: .(goto)(0, 103, 109) */
		reached[0][103] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 33: // STATE 101 - cluster.pml:44 - [b = (log[(((j*2)+size[j])-1)]/2)] (0:0:1 - 1)
		IfNotBlocked
		reached[0][101] = 1;
		(trpt+1)->bup.oval = ((int)now.b);
		now.b = (((int)now.log[ Index((((((int)now.j)*2)+((int)now.size[ Index(((int)now.j), 3) ]))-1), 6) ])/2);
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 34: // STATE 105 - cluster.pml:55 - [(((a>b)||((a==b)&&(size[n]>=size[j]))))] (118:0:2 - 1)
		IfNotBlocked
		reached[0][105] = 1;
		if (!(((((int)now.a)>((int)now.b))||((((int)now.a)==((int)now.b))&&(((int)now.size[ Index(((int)now.n), 3) ])>=((int)now.size[ Index(((int)now.j), 3) ]))))))
			continue;
		/* merge: yes = (yes+1)(118, 106, 118) */
		reached[0][106] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.yes);
		now.yes = (((int)now.yes)+1);
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(118, 110, 118) */
		reached[0][110] = 1;
		;
		/* merge: .(goto)(118, 114, 118) */
		reached[0][114] = 1;
		;
		/* merge: j = (j+1)(118, 115, 118) */
		reached[0][115] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 119, 118) */
		reached[0][119] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 35: // STATE 108 - cluster.pml:55 - [(1)] (118:0:1 - 1)
		IfNotBlocked
		reached[0][108] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(118, 110, 118) */
		reached[0][110] = 1;
		;
		/* merge: .(goto)(118, 114, 118) */
		reached[0][114] = 1;
		;
		/* merge: j = (j+1)(118, 115, 118) */
		reached[0][115] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 119, 118) */
		reached[0][119] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 36: // STATE 112 - cluster.pml:56 - [(1)] (118:0:1 - 1)
		IfNotBlocked
		reached[0][112] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(118, 114, 118) */
		reached[0][114] = 1;
		;
		/* merge: j = (j+1)(118, 115, 118) */
		reached[0][115] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 119, 118) */
		reached[0][119] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 37: // STATE 115 - cluster.pml:51 - [j = (j+1)] (0:118:1 - 5)
		IfNotBlocked
		reached[0][115] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 119, 118) */
		reached[0][119] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 38: // STATE 121 - cluster.pml:60 - [((yes>=((k/2)+1)))] (135:0:3 - 1)
		IfNotBlocked
		reached[0][121] = 1;
		if (!((((int)now.yes)>=((((int)now.k)/2)+1))))
			continue;
		/* merge: newest = (newest+1)(135, 122, 135) */
		reached[0][122] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.newest);
		now.newest = (((int)now.newest)+1);
#ifdef VAR_RANGES
		logval("newest", ((int)now.newest));
#endif
		;
		/* merge: leader = n(135, 123, 135) */
		reached[0][123] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.leader);
		now.leader = ((int)now.n);
#ifdef VAR_RANGES
		logval("leader", ((int)now.leader));
#endif
		;
		/* merge: j = 0(135, 124, 135) */
		reached[0][124] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 136, 135) */
		reached[0][136] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 39: // STATE 125 - cluster.pml:62 - [((j<=(3-1)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][125] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 40: // STATE 126 - cluster.pml:63 - [(((votes[j]&&up[j])&&!(ended[j])))] (135:0:2 - 1)
		IfNotBlocked
		reached[0][126] = 1;
		if (!(((((int)now.votes[ Index(((int)now.j), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))))
			continue;
		/* merge: term[j] = newest(135, 127, 135) */
		reached[0][127] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.term[ Index(((int)now.j), 3) ]);
		now.term[ Index(now.j, 3) ] = ((int)now.newest);
#ifdef VAR_RANGES
		logval("term[j]", ((int)now.term[ Index(((int)now.j), 3) ]));
#endif
		;
		/* merge: .(goto)(135, 131, 135) */
		reached[0][131] = 1;
		;
		/* merge: j = (j+1)(135, 132, 135) */
		reached[0][132] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 136, 135) */
		reached[0][136] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 41: // STATE 129 - cluster.pml:63 - [(1)] (135:0:1 - 1)
		IfNotBlocked
		reached[0][129] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(135, 131, 135) */
		reached[0][131] = 1;
		;
		/* merge: j = (j+1)(135, 132, 135) */
		reached[0][132] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 136, 135) */
		reached[0][136] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 42: // STATE 132 - cluster.pml:62 - [j = (j+1)] (0:135:1 - 3)
		IfNotBlocked
		reached[0][132] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 136, 135) */
		reached[0][136] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 43: // STATE 143 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][143] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 44: // STATE 144 - cluster.pml:110 - [((n<=(3-1)))] (164:0:1 - 1)
		IfNotBlocked
		reached[0][144] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 145, 164) */
		reached[0][145] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 165, 164) */
		reached[0][165] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 45: // STATE 146 - cluster.pml:111 - [((j<=(3-1)))] (158:0:1 - 1)
		IfNotBlocked
		reached[0][146] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 147, 158) */
		reached[0][147] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 159, 158) */
		reached[0][159] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 46: // STATE 148 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][148] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 47: // STATE 149 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (158:0:1 - 1)
		IfNotBlocked
		reached[0][149] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(158, 150, 158) */
		reached[0][150] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(158, 154, 158) */
		reached[0][154] = 1;
		;
		/* merge: i = (i+1)(158, 155, 158) */
		reached[0][155] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 159, 158) */
		reached[0][159] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 48: // STATE 152 - cluster.pml:116 - [(1)] (158:0:1 - 1)
		IfNotBlocked
		reached[0][152] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(158, 154, 158) */
		reached[0][154] = 1;
		;
		/* merge: i = (i+1)(158, 155, 158) */
		reached[0][155] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 159, 158) */
		reached[0][159] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 49: // STATE 155 - cluster.pml:112 - [i = (i+1)] (0:158:1 - 3)
		IfNotBlocked
		reached[0][155] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 159, 158) */
		reached[0][159] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 50: // STATE 161 - cluster.pml:111 - [j = (j+1)] (0:164:1 - 3)
		IfNotBlocked
		reached[0][161] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 165, 164) */
		reached[0][165] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 51: // STATE 167 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (176:0:1 - 1)
		IfNotBlocked
		reached[0][167] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(176, 168, 176) */
		reached[0][168] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(176, 172, 176) */
		reached[0][172] = 1;
		;
		/* merge: n = (n+1)(176, 173, 176) */
		reached[0][173] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 177, 176) */
		reached[0][177] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 52: // STATE 170 - cluster.pml:121 - [(1)] (176:0:1 - 1)
		IfNotBlocked
		reached[0][170] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(176, 172, 176) */
		reached[0][172] = 1;
		;
		/* merge: n = (n+1)(176, 173, 176) */
		reached[0][173] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 177, 176) */
		reached[0][177] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 53: // STATE 173 - cluster.pml:110 - [n = (n+1)] (0:176:1 - 3)
		IfNotBlocked
		reached[0][173] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 177, 176) */
		reached[0][177] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 54: // STATE 179 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][179] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 180, 731) */
		reached[0][180] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 181, 731) */
		reached[0][181] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 182, 731) */
		reached[0][182] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 183, 731) */
		reached[0][183] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 184, 731) */
		reached[0][184] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 185, 731) */
		reached[0][185] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 55: // STATE 188 - cluster.pml:135 - [(((((leader<3)&&up[leader])&&!(ended[leader]))&&(size[leader]<2)))] (235:0:3 - 1)
		IfNotBlocked
		reached[0][188] = 1;
		if (!(((((((int)now.leader)<3)&&((int)now.up[ Index(((int)now.leader), 3) ]))&& !(((int)now.ended[ Index(((int)now.leader), 3) ])))&&(((int)now.size[ Index(((int)now.leader), 3) ])<2))))
			continue;
		/* merge: log[((leader*2)+size[leader])] = ((term[leader]*2)+batch)(235, 189, 235) */
		reached[0][189] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.log[ Index(((((int)now.leader)*2)+((int)now.size[ Index(((int)now.leader), 3) ])), 6) ]);
		now.log[ Index(((now.leader*2)+now.size[ Index(now.leader, 3) ]), 6) ] = ((((int)now.term[ Index(((int)now.leader), 3) ])*2)+((int)now.batch));
#ifdef VAR_RANGES
		logval("log[((leader*2)+size[leader])]", ((int)now.log[ Index(((((int)now.leader)*2)+((int)now.size[ Index(((int)now.leader), 3) ])), 6) ]));
#endif
		;
		/* merge: size[leader] = (size[leader]+1)(235, 190, 235) */
		reached[0][190] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.size[ Index(((int)now.leader), 3) ]);
		now.size[ Index(now.leader, 3) ] = (((int)now.size[ Index(((int)now.leader), 3) ])+1);
#ifdef VAR_RANGES
		logval("size[leader]", ((int)now.size[ Index(((int)now.leader), 3) ]));
#endif
		;
		/* merge: batch = !(batch)(235, 191, 235) */
		reached[0][191] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.batch);
		now.batch =  !(((int)now.batch));
#ifdef VAR_RANGES
		logval("batch", ((int)now.batch));
#endif
		;
		_m = 3; goto P999; /* 3 */
	case 56: // STATE 192 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][192] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 57: // STATE 193 - cluster.pml:110 - [((n<=(3-1)))] (213:0:1 - 1)
		IfNotBlocked
		reached[0][193] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 194, 213) */
		reached[0][194] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 214, 213) */
		reached[0][214] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 58: // STATE 195 - cluster.pml:111 - [((j<=(3-1)))] (207:0:1 - 1)
		IfNotBlocked
		reached[0][195] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 196, 207) */
		reached[0][196] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 208, 207) */
		reached[0][208] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 59: // STATE 197 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][197] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 60: // STATE 198 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (207:0:1 - 1)
		IfNotBlocked
		reached[0][198] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(207, 199, 207) */
		reached[0][199] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(207, 203, 207) */
		reached[0][203] = 1;
		;
		/* merge: i = (i+1)(207, 204, 207) */
		reached[0][204] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 208, 207) */
		reached[0][208] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 61: // STATE 201 - cluster.pml:116 - [(1)] (207:0:1 - 1)
		IfNotBlocked
		reached[0][201] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(207, 203, 207) */
		reached[0][203] = 1;
		;
		/* merge: i = (i+1)(207, 204, 207) */
		reached[0][204] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 208, 207) */
		reached[0][208] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 62: // STATE 204 - cluster.pml:112 - [i = (i+1)] (0:207:1 - 3)
		IfNotBlocked
		reached[0][204] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 208, 207) */
		reached[0][208] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 63: // STATE 210 - cluster.pml:111 - [j = (j+1)] (0:213:1 - 3)
		IfNotBlocked
		reached[0][210] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 214, 213) */
		reached[0][214] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 64: // STATE 216 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (225:0:1 - 1)
		IfNotBlocked
		reached[0][216] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(225, 217, 225) */
		reached[0][217] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(225, 221, 225) */
		reached[0][221] = 1;
		;
		/* merge: n = (n+1)(225, 222, 225) */
		reached[0][222] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 226, 225) */
		reached[0][226] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 65: // STATE 219 - cluster.pml:121 - [(1)] (225:0:1 - 1)
		IfNotBlocked
		reached[0][219] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(225, 221, 225) */
		reached[0][221] = 1;
		;
		/* merge: n = (n+1)(225, 222, 225) */
		reached[0][222] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 226, 225) */
		reached[0][226] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 66: // STATE 222 - cluster.pml:110 - [n = (n+1)] (0:225:1 - 3)
		IfNotBlocked
		reached[0][222] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 226, 225) */
		reached[0][226] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 67: // STATE 228 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][228] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 229, 731) */
		reached[0][229] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 230, 731) */
		reached[0][230] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 231, 731) */
		reached[0][231] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 232, 731) */
		reached[0][232] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 233, 731) */
		reached[0][233] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 234, 731) */
		reached[0][234] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 68: // STATE 237 - cluster.pml:137 - [((((leader<3)&&up[leader])&&!(ended[leader])))] (242:0:1 - 1)
		IfNotBlocked
		reached[0][237] = 1;
		if (!((((((int)now.leader)<3)&&((int)now.up[ Index(((int)now.leader), 3) ]))&& !(((int)now.ended[ Index(((int)now.leader), 3) ])))))
			continue;
		/* merge: n = 0(0, 238, 242) */
		reached[0][238] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 243, 242) */
		reached[0][243] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 69: // STATE 239 - cluster.pml:137 - [((n<(3-1)))] (242:0:1 - 1)
		IfNotBlocked
		reached[0][239] = 1;
		if (!((((int)now.n)<(3-1))))
			continue;
		/* merge: n = (n+1)(0, 240, 242) */
		reached[0][240] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 243, 242) */
		reached[0][243] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 70: // STATE 245 - cluster.pml:137 - [((((n!=leader)&&(up[n]&&!(ended[n])))&&(term[n]<=term[leader])))] (0:0:0 - 2)
		IfNotBlocked
		reached[0][245] = 1;
		if (!((((((int)now.n)!=((int)now.leader))&&(((int)now.up[ Index(((int)now.n), 3) ])&& !(((int)now.ended[ Index(((int)now.n), 3) ]))))&&(((int)now.term[ Index(((int)now.n), 3) ])<=((int)now.term[ Index(((int)now.leader), 3) ])))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 71: // STATE 246 - cluster.pml:74 - [term[n] = term[leader]] (0:252:2 - 1)
		IfNotBlocked
		reached[0][246] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.term[ Index(((int)now.n), 3) ]);
		now.term[ Index(now.n, 3) ] = ((int)now.term[ Index(((int)now.leader), 3) ]);
#ifdef VAR_RANGES
		logval("term[n]", ((int)now.term[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: a = 0(252, 247, 252) */
		reached[0][247] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: .(goto)(0, 253, 252) */
		reached[0][253] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 72: // STATE 248 - cluster.pml:76 - [((((a<size[n])&&(a<size[leader]))&&(log[((n*2)+a)]==log[((leader*2)+a)])))] (252:0:1 - 1)
		IfNotBlocked
		reached[0][248] = 1;
		if (!((((((int)now.a)<((int)now.size[ Index(((int)now.n), 3) ]))&&(((int)now.a)<((int)now.size[ Index(((int)now.leader), 3) ])))&&(((int)now.log[ Index(((((int)now.n)*2)+((int)now.a)), 6) ])==((int)now.log[ Index(((((int)now.leader)*2)+((int)now.a)), 6) ])))))
			continue;
		/* merge: a = (a+1)(0, 249, 252) */
		reached[0][249] = 1;
		(trpt+1)->bup.oval = ((int)now.a);
		now.a = (((int)now.a)+1);
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: .(goto)(0, 253, 252) */
		reached[0][253] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 73: // STATE 255 - cluster.pml:79 - [(((a<applied[n])&&(size[leader]>a)))] (321:0:3 - 1)
		IfNotBlocked
		reached[0][255] = 1;
		if (!(((((int)now.a)<((int)now.applied[ Index(((int)now.n), 3) ]))&&(((int)now.size[ Index(((int)now.leader), 3) ])>((int)now.a)))))
			continue;
		/* merge: ended[n] = 1(321, 256, 321) */
		reached[0][256] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.ended[ Index(((int)now.n), 3) ]);
		now.ended[ Index(now.n, 3) ] = 1;
#ifdef VAR_RANGES
		logval("ended[n]", ((int)now.ended[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: up[n] = 0(321, 257, 321) */
		reached[0][257] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.up[ Index(((int)now.n), 3) ]);
		now.up[ Index(now.n, 3) ] = 0;
#ifdef VAR_RANGES
		logval("up[n]", ((int)now.up[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: lease[n] = 0(321, 258, 321) */
		reached[0][258] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.lease[ Index(((int)now.n), 3) ]);
		now.lease[ Index(now.n, 3) ] = 0;
#ifdef VAR_RANGES
		logval("lease[n]", ((int)now.lease[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: .(goto)(0, 276, 321) */
		reached[0][276] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 74: // STATE 260 - cluster.pml:83 - [((a<size[leader]))] (268:0:2 - 1)
		IfNotBlocked
		reached[0][260] = 1;
		if (!((((int)now.a)<((int)now.size[ Index(((int)now.leader), 3) ]))))
			continue;
		/* merge: size[n] = size[leader](268, 261, 268) */
		reached[0][261] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.size[ Index(((int)now.n), 3) ]);
		now.size[ Index(now.n, 3) ] = ((int)now.size[ Index(((int)now.leader), 3) ]);
#ifdef VAR_RANGES
		logval("size[n]", ((int)now.size[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: j = 0(268, 262, 268) */
		reached[0][262] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 269, 268) */
		reached[0][269] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 75: // STATE 263 - cluster.pml:84 - [((j<=1))] (268:0:2 - 1)
		IfNotBlocked
		reached[0][263] = 1;
		if (!((((int)now.j)<=1)))
			continue;
		/* merge: log[((n*2)+j)] = log[((leader*2)+j)](268, 264, 268) */
		reached[0][264] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.log[ Index(((((int)now.n)*2)+((int)now.j)), 6) ]);
		now.log[ Index(((now.n*2)+now.j), 6) ] = ((int)now.log[ Index(((((int)now.leader)*2)+((int)now.j)), 6) ]);
#ifdef VAR_RANGES
		logval("log[((n*2)+j)]", ((int)now.log[ Index(((((int)now.n)*2)+((int)now.j)), 6) ]));
#endif
		;
		/* merge: j = (j+1)(268, 265, 268) */
		reached[0][265] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 269, 268) */
		reached[0][269] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 76: // STATE 278 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][278] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 77: // STATE 279 - cluster.pml:110 - [((n<=(3-1)))] (299:0:1 - 1)
		IfNotBlocked
		reached[0][279] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 280, 299) */
		reached[0][280] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 300, 299) */
		reached[0][300] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 78: // STATE 281 - cluster.pml:111 - [((j<=(3-1)))] (293:0:1 - 1)
		IfNotBlocked
		reached[0][281] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 282, 293) */
		reached[0][282] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 294, 293) */
		reached[0][294] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 79: // STATE 283 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][283] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 80: // STATE 284 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (293:0:1 - 1)
		IfNotBlocked
		reached[0][284] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(293, 285, 293) */
		reached[0][285] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(293, 289, 293) */
		reached[0][289] = 1;
		;
		/* merge: i = (i+1)(293, 290, 293) */
		reached[0][290] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 294, 293) */
		reached[0][294] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 81: // STATE 287 - cluster.pml:116 - [(1)] (293:0:1 - 1)
		IfNotBlocked
		reached[0][287] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(293, 289, 293) */
		reached[0][289] = 1;
		;
		/* merge: i = (i+1)(293, 290, 293) */
		reached[0][290] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 294, 293) */
		reached[0][294] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 82: // STATE 290 - cluster.pml:112 - [i = (i+1)] (0:293:1 - 3)
		IfNotBlocked
		reached[0][290] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 294, 293) */
		reached[0][294] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 83: // STATE 296 - cluster.pml:111 - [j = (j+1)] (0:299:1 - 3)
		IfNotBlocked
		reached[0][296] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 300, 299) */
		reached[0][300] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 84: // STATE 302 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (311:0:1 - 1)
		IfNotBlocked
		reached[0][302] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(311, 303, 311) */
		reached[0][303] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(311, 307, 311) */
		reached[0][307] = 1;
		;
		/* merge: n = (n+1)(311, 308, 311) */
		reached[0][308] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 312, 311) */
		reached[0][312] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 85: // STATE 305 - cluster.pml:121 - [(1)] (311:0:1 - 1)
		IfNotBlocked
		reached[0][305] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(311, 307, 311) */
		reached[0][307] = 1;
		;
		/* merge: n = (n+1)(311, 308, 311) */
		reached[0][308] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 312, 311) */
		reached[0][312] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 86: // STATE 308 - cluster.pml:110 - [n = (n+1)] (0:311:1 - 3)
		IfNotBlocked
		reached[0][308] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 312, 311) */
		reached[0][312] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 87: // STATE 314 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][314] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 315, 731) */
		reached[0][315] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 316, 731) */
		reached[0][316] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 317, 731) */
		reached[0][317] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 318, 731) */
		reached[0][318] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 319, 731) */
		reached[0][319] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 320, 731) */
		reached[0][320] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 88: // STATE 323 - cluster.pml:138 - [((((((leader<3)&&up[leader])&&!(ended[leader]))&&(term[leader]==newest))&&(size[leader]>applied[leader])))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][323] = 1;
		if (!((((((((int)now.leader)<3)&&((int)now.up[ Index(((int)now.leader), 3) ]))&& !(((int)now.ended[ Index(((int)now.leader), 3) ])))&&(((int)now.term[ Index(((int)now.leader), 3) ])==((int)now.newest)))&&(((int)now.size[ Index(((int)now.leader), 3) ])>((int)now.applied[ Index(((int)now.leader), 3) ])))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 89: // STATE 324 - cluster.pml:92 - [i = applied[leader]] (0:0:1 - 1)
		IfNotBlocked
		reached[0][324] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = ((int)now.applied[ Index(((int)now.leader), 3) ]);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 90: // STATE 325 - cluster.pml:41 - [k = 0] (0:332:2 - 1)
		IfNotBlocked
		reached[0][325] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: j = 0(332, 326, 332) */
		reached[0][326] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 333, 332) */
		reached[0][333] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 91: // STATE 327 - cluster.pml:41 - [((j<=(3-1)))] (332:0:2 - 1)
		IfNotBlocked
		reached[0][327] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: k = (k+votes[j])(332, 328, 332) */
		reached[0][328] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.k);
		now.k = (((int)now.k)+((int)now.votes[ Index(((int)now.j), 3) ]));
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: j = (j+1)(332, 329, 332) */
		reached[0][329] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 333, 332) */
		reached[0][333] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 92: // STATE 336 - cluster.pml:92 - [yes = 0] (0:350:3 - 3)
		IfNotBlocked
		reached[0][336] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: b = 0(350, 337, 350) */
		reached[0][337] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: j = 0(350, 338, 350) */
		reached[0][338] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 351, 350) */
		reached[0][351] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 93: // STATE 339 - cluster.pml:93 - [((j<=(3-1)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][339] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 94: // STATE 340 - cluster.pml:94 - [(((size[j]>i)&&(log[((j*2)+i)]==log[((leader*2)+i)])))] (350:0:3 - 1)
		IfNotBlocked
		reached[0][340] = 1;
		if (!(((((int)now.size[ Index(((int)now.j), 3) ])>((int)now.i))&&(((int)now.log[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])==((int)now.log[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ])))))
			continue;
		/* merge: b = (b+1)(350, 341, 350) */
		reached[0][341] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.b);
		now.b = (((int)now.b)+1);
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = (yes+votes[j])(350, 342, 350) */
		reached[0][342] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.yes);
		now.yes = (((int)now.yes)+((int)now.votes[ Index(((int)now.j), 3) ]));
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(350, 346, 350) */
		reached[0][346] = 1;
		;
		/* merge: j = (j+1)(350, 347, 350) */
		reached[0][347] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 351, 350) */
		reached[0][351] = 1;
		;
		_m = 3; goto P999; /* 5 */
	case 95: // STATE 344 - cluster.pml:94 - [(1)] (350:0:1 - 1)
		IfNotBlocked
		reached[0][344] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(350, 346, 350) */
		reached[0][346] = 1;
		;
		/* merge: j = (j+1)(350, 347, 350) */
		reached[0][347] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 351, 350) */
		reached[0][351] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 96: // STATE 347 - cluster.pml:93 - [j = (j+1)] (0:350:1 - 3)
		IfNotBlocked
		reached[0][347] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 351, 350) */
		reached[0][351] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 97: // STATE 353 - cluster.pml:97 - [((((yes>=((k/2)+1))&&((log[(((leader*2)+size[leader])-1)]/2)==term[leader]))&&((size[leader]>i)&&(log[((leader*2)+i)]==log[((leader*2)+i)]))))] (363:0:3 - 1)
		IfNotBlocked
		reached[0][353] = 1;
		if (!((((((int)now.yes)>=((((int)now.k)/2)+1))&&((((int)now.log[ Index((((((int)now.leader)*2)+((int)now.size[ Index(((int)now.leader), 3) ]))-1), 6) ])/2)==((int)now.term[ Index(((int)now.leader), 3) ])))&&((((int)now.size[ Index(((int)now.leader), 3) ])>((int)now.i))&&(((int)now.log[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ])==((int)now.log[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ]))))))
			continue;
		/* merge: assert((b>=((pledged/2)+1)))(363, 354, 363) */
		reached[0][354] = 1;
		spin_assert((((int)now.b)>=((((int)now.pledged)/2)+1)), "(b>=((pledged/2)+1))", II, tt, t);
		/* merge: assert((((ack[i]==0)||(ack[i]==log[((leader*2)+i)]))||blind))(363, 355, 363) */
		reached[0][355] = 1;
		spin_assert((((((int)now.ack[ Index(((int)now.i), 2) ])==0)||(((int)now.ack[ Index(((int)now.i), 2) ])==((int)now.log[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ])))||((int)now.blind)), "(((ack[i]==0)||(ack[i]==log[((leader*2)+i)]))||blind)", II, tt, t);
		/* merge: did[((leader*2)+i)] = log[((leader*2)+i)](363, 356, 363) */
		reached[0][356] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.did[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ]);
		now.did[ Index(((now.leader*2)+now.i), 6) ] = ((int)now.log[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ]);
#ifdef VAR_RANGES
		logval("did[((leader*2)+i)]", ((int)now.did[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ]));
#endif
		;
		/* merge: applied[leader] = (applied[leader]+1)(363, 357, 363) */
		reached[0][357] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.applied[ Index(((int)now.leader), 3) ]);
		now.applied[ Index(now.leader, 3) ] = (((int)now.applied[ Index(((int)now.leader), 3) ])+1);
#ifdef VAR_RANGES
		logval("applied[leader]", ((int)now.applied[ Index(((int)now.leader), 3) ]));
#endif
		;
		/* merge: known[leader] = applied[leader](363, 358, 363) */
		reached[0][358] = 1;
		(trpt+1)->bup.ovals[2] = ((int)known[ Index(((int)now.leader), 3) ]);
		known[ Index(now.leader, 3) ] = ((int)now.applied[ Index(((int)now.leader), 3) ]);
#ifdef VAR_RANGES
		logval("known[leader]", ((int)known[ Index(((int)now.leader), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 5 */
	case 98: // STATE 359 - cluster.pml:103 - [((ack[i]==0))] (413:0:1 - 1)
		IfNotBlocked
		reached[0][359] = 1;
		if (!((((int)now.ack[ Index(((int)now.i), 2) ])==0)))
			continue;
		/* merge: ack[i] = log[((leader*2)+i)](0, 360, 413) */
		reached[0][360] = 1;
		(trpt+1)->bup.oval = ((int)now.ack[ Index(((int)now.i), 2) ]);
		now.ack[ Index(now.i, 2) ] = ((int)now.log[ Index(((((int)now.leader)*2)+((int)now.i)), 6) ]);
#ifdef VAR_RANGES
		logval("ack[i]", ((int)now.ack[ Index(((int)now.i), 2) ]));
#endif
		;
		/* merge: .(goto)(0, 364, 413) */
		reached[0][364] = 1;
		;
		/* merge: .(goto)(0, 368, 413) */
		reached[0][368] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 99: // STATE 370 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][370] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 100: // STATE 371 - cluster.pml:110 - [((n<=(3-1)))] (391:0:1 - 1)
		IfNotBlocked
		reached[0][371] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 372, 391) */
		reached[0][372] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 392, 391) */
		reached[0][392] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 101: // STATE 373 - cluster.pml:111 - [((j<=(3-1)))] (385:0:1 - 1)
		IfNotBlocked
		reached[0][373] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 374, 385) */
		reached[0][374] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 386, 385) */
		reached[0][386] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 102: // STATE 375 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][375] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 103: // STATE 376 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (385:0:1 - 1)
		IfNotBlocked
		reached[0][376] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(385, 377, 385) */
		reached[0][377] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(385, 381, 385) */
		reached[0][381] = 1;
		;
		/* merge: i = (i+1)(385, 382, 385) */
		reached[0][382] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 386, 385) */
		reached[0][386] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 104: // STATE 379 - cluster.pml:116 - [(1)] (385:0:1 - 1)
		IfNotBlocked
		reached[0][379] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(385, 381, 385) */
		reached[0][381] = 1;
		;
		/* merge: i = (i+1)(385, 382, 385) */
		reached[0][382] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 386, 385) */
		reached[0][386] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 105: // STATE 382 - cluster.pml:112 - [i = (i+1)] (0:385:1 - 3)
		IfNotBlocked
		reached[0][382] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 386, 385) */
		reached[0][386] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 106: // STATE 388 - cluster.pml:111 - [j = (j+1)] (0:391:1 - 3)
		IfNotBlocked
		reached[0][388] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 392, 391) */
		reached[0][392] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 107: // STATE 394 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (403:0:1 - 1)
		IfNotBlocked
		reached[0][394] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(403, 395, 403) */
		reached[0][395] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(403, 399, 403) */
		reached[0][399] = 1;
		;
		/* merge: n = (n+1)(403, 400, 403) */
		reached[0][400] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 404, 403) */
		reached[0][404] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 108: // STATE 397 - cluster.pml:121 - [(1)] (403:0:1 - 1)
		IfNotBlocked
		reached[0][397] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(403, 399, 403) */
		reached[0][399] = 1;
		;
		/* merge: n = (n+1)(403, 400, 403) */
		reached[0][400] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 404, 403) */
		reached[0][404] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 109: // STATE 400 - cluster.pml:110 - [n = (n+1)] (0:403:1 - 3)
		IfNotBlocked
		reached[0][400] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 404, 403) */
		reached[0][404] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 110: // STATE 406 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][406] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 407, 731) */
		reached[0][407] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 408, 731) */
		reached[0][408] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 409, 731) */
		reached[0][409] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 410, 731) */
		reached[0][410] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 411, 731) */
		reached[0][411] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 412, 731) */
		reached[0][412] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 111: // STATE 415 - cluster.pml:140 - [((((leader<3)&&up[leader])&&!(ended[leader])))] (420:0:1 - 1)
		IfNotBlocked
		reached[0][415] = 1;
		if (!((((((int)now.leader)<3)&&((int)now.up[ Index(((int)now.leader), 3) ]))&& !(((int)now.ended[ Index(((int)now.leader), 3) ])))))
			continue;
		/* merge: n = 0(0, 416, 420) */
		reached[0][416] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 421, 420) */
		reached[0][421] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 112: // STATE 417 - cluster.pml:140 - [((n<(3-1)))] (420:0:1 - 1)
		IfNotBlocked
		reached[0][417] = 1;
		if (!((((int)now.n)<(3-1))))
			continue;
		/* merge: n = (n+1)(0, 418, 420) */
		reached[0][418] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 421, 420) */
		reached[0][421] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 113: // STATE 423 - cluster.pml:141 - [((((((n!=leader)&&(up[n]&&!(ended[n])))&&(term[n]==term[leader]))&&(applied[n]<applied[leader]))&&((size[n]>applied[n])&&(log[((n*2)+applied[n])]==log[((leader*2)+applied[n])]))))] (470:0:3 - 2)
		IfNotBlocked
		reached[0][423] = 1;
		if (!((((((((int)now.n)!=((int)now.leader))&&(((int)now.up[ Index(((int)now.n), 3) ])&& !(((int)now.ended[ Index(((int)now.n), 3) ]))))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.leader), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])<((int)now.applied[ Index(((int)now.leader), 3) ])))&&((((int)now.size[ Index(((int)now.n), 3) ])>((int)now.applied[ Index(((int)now.n), 3) ]))&&(((int)now.log[ Index(((((int)now.n)*2)+((int)now.applied[ Index(((int)now.n), 3) ])), 6) ])==((int)now.log[ Index(((((int)now.leader)*2)+((int)now.applied[ Index(((int)now.n), 3) ])), 6) ]))))))
			continue;
		/* merge: did[((n*2)+applied[n])] = log[((n*2)+applied[n])](470, 424, 470) */
		reached[0][424] = 1;
		(trpt+1)->bup.ovals = grab_ints(3);
		(trpt+1)->bup.ovals[0] = ((int)now.did[ Index(((((int)now.n)*2)+((int)now.applied[ Index(((int)now.n), 3) ])), 6) ]);
		now.did[ Index(((now.n*2)+now.applied[ Index(now.n, 3) ]), 6) ] = ((int)now.log[ Index(((((int)now.n)*2)+((int)now.applied[ Index(((int)now.n), 3) ])), 6) ]);
#ifdef VAR_RANGES
		logval("did[((n*2)+applied[n])]", ((int)now.did[ Index(((((int)now.n)*2)+((int)now.applied[ Index(((int)now.n), 3) ])), 6) ]));
#endif
		;
		/* merge: applied[n] = (applied[n]+1)(470, 425, 470) */
		reached[0][425] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.applied[ Index(((int)now.n), 3) ]);
		now.applied[ Index(now.n, 3) ] = (((int)now.applied[ Index(((int)now.n), 3) ])+1);
#ifdef VAR_RANGES
		logval("applied[n]", ((int)now.applied[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: known[n] = applied[n](470, 426, 470) */
		reached[0][426] = 1;
		(trpt+1)->bup.ovals[2] = ((int)known[ Index(((int)now.n), 3) ]);
		known[ Index(now.n, 3) ] = ((int)now.applied[ Index(((int)now.n), 3) ]);
#ifdef VAR_RANGES
		logval("known[n]", ((int)known[ Index(((int)now.n), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 3 */
	case 114: // STATE 427 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][427] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 115: // STATE 428 - cluster.pml:110 - [((n<=(3-1)))] (448:0:1 - 1)
		IfNotBlocked
		reached[0][428] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 429, 448) */
		reached[0][429] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 449, 448) */
		reached[0][449] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 116: // STATE 430 - cluster.pml:111 - [((j<=(3-1)))] (442:0:1 - 1)
		IfNotBlocked
		reached[0][430] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 431, 442) */
		reached[0][431] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 443, 442) */
		reached[0][443] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 117: // STATE 432 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][432] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 118: // STATE 433 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (442:0:1 - 1)
		IfNotBlocked
		reached[0][433] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(442, 434, 442) */
		reached[0][434] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(442, 438, 442) */
		reached[0][438] = 1;
		;
		/* merge: i = (i+1)(442, 439, 442) */
		reached[0][439] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 443, 442) */
		reached[0][443] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 119: // STATE 436 - cluster.pml:116 - [(1)] (442:0:1 - 1)
		IfNotBlocked
		reached[0][436] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(442, 438, 442) */
		reached[0][438] = 1;
		;
		/* merge: i = (i+1)(442, 439, 442) */
		reached[0][439] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 443, 442) */
		reached[0][443] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 120: // STATE 439 - cluster.pml:112 - [i = (i+1)] (0:442:1 - 3)
		IfNotBlocked
		reached[0][439] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 443, 442) */
		reached[0][443] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 121: // STATE 445 - cluster.pml:111 - [j = (j+1)] (0:448:1 - 3)
		IfNotBlocked
		reached[0][445] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 449, 448) */
		reached[0][449] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 122: // STATE 451 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (460:0:1 - 1)
		IfNotBlocked
		reached[0][451] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(460, 452, 460) */
		reached[0][452] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(460, 456, 460) */
		reached[0][456] = 1;
		;
		/* merge: n = (n+1)(460, 457, 460) */
		reached[0][457] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 461, 460) */
		reached[0][461] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 123: // STATE 454 - cluster.pml:121 - [(1)] (460:0:1 - 1)
		IfNotBlocked
		reached[0][454] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(460, 456, 460) */
		reached[0][456] = 1;
		;
		/* merge: n = (n+1)(460, 457, 460) */
		reached[0][457] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 461, 460) */
		reached[0][461] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 124: // STATE 457 - cluster.pml:110 - [n = (n+1)] (0:460:1 - 3)
		IfNotBlocked
		reached[0][457] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 461, 460) */
		reached[0][461] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 125: // STATE 463 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][463] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 464, 731) */
		reached[0][464] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 465, 731) */
		reached[0][465] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 466, 731) */
		reached[0][466] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 467, 731) */
		reached[0][467] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 468, 731) */
		reached[0][468] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 469, 731) */
		reached[0][469] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 126: // STATE 472 - cluster.pml:144 - [(((((leader<3)&&up[leader])&&!(ended[leader]))&&(term[leader]==newest)))] (477:0:1 - 1)
		IfNotBlocked
		reached[0][472] = 1;
		if (!(((((((int)now.leader)<3)&&((int)now.up[ Index(((int)now.leader), 3) ]))&& !(((int)now.ended[ Index(((int)now.leader), 3) ])))&&(((int)now.term[ Index(((int)now.leader), 3) ])==((int)now.newest)))))
			continue;
		/* merge: n = 0(0, 473, 477) */
		reached[0][473] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 478, 477) */
		reached[0][478] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 127: // STATE 474 - cluster.pml:144 - [((n<(3-1)))] (477:0:1 - 1)
		IfNotBlocked
		reached[0][474] = 1;
		if (!((((int)now.n)<(3-1))))
			continue;
		/* merge: n = (n+1)(0, 475, 477) */
		reached[0][475] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 478, 477) */
		reached[0][478] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 128: // STATE 480 - cluster.pml:145 - [(((((up[n]&&!(ended[n]))&&(term[n]==term[leader]))&&(applied[n]==applied[leader]))&&(applied[n]>=shown)))] (526:0:2 - 2)
		IfNotBlocked
		reached[0][480] = 1;
		if (!(((((((int)now.up[ Index(((int)now.n), 3) ])&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.leader), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])==((int)now.applied[ Index(((int)now.leader), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)))))
			continue;
		/* merge: lease[n] = 1(526, 481, 526) */
		reached[0][481] = 1;
		(trpt+1)->bup.ovals = grab_ints(2);
		(trpt+1)->bup.ovals[0] = ((int)now.lease[ Index(((int)now.n), 3) ]);
		now.lease[ Index(now.n, 3) ] = 1;
#ifdef VAR_RANGES
		logval("lease[n]", ((int)now.lease[ Index(((int)now.n), 3) ]));
#endif
		;
		/* merge: counted[n] = 1(526, 482, 526) */
		reached[0][482] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.counted[ Index(((int)now.n), 3) ]);
		now.counted[ Index(now.n, 3) ] = 1;
#ifdef VAR_RANGES
		logval("counted[n]", ((int)now.counted[ Index(((int)now.n), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 2 */
	case 129: // STATE 483 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][483] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 130: // STATE 484 - cluster.pml:110 - [((n<=(3-1)))] (504:0:1 - 1)
		IfNotBlocked
		reached[0][484] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 485, 504) */
		reached[0][485] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 505, 504) */
		reached[0][505] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 131: // STATE 486 - cluster.pml:111 - [((j<=(3-1)))] (498:0:1 - 1)
		IfNotBlocked
		reached[0][486] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 487, 498) */
		reached[0][487] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 499, 498) */
		reached[0][499] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 132: // STATE 488 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][488] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 133: // STATE 489 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (498:0:1 - 1)
		IfNotBlocked
		reached[0][489] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(498, 490, 498) */
		reached[0][490] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(498, 494, 498) */
		reached[0][494] = 1;
		;
		/* merge: i = (i+1)(498, 495, 498) */
		reached[0][495] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 499, 498) */
		reached[0][499] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 134: // STATE 492 - cluster.pml:116 - [(1)] (498:0:1 - 1)
		IfNotBlocked
		reached[0][492] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(498, 494, 498) */
		reached[0][494] = 1;
		;
		/* merge: i = (i+1)(498, 495, 498) */
		reached[0][495] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 499, 498) */
		reached[0][499] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 135: // STATE 495 - cluster.pml:112 - [i = (i+1)] (0:498:1 - 3)
		IfNotBlocked
		reached[0][495] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 499, 498) */
		reached[0][499] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 136: // STATE 501 - cluster.pml:111 - [j = (j+1)] (0:504:1 - 3)
		IfNotBlocked
		reached[0][501] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 505, 504) */
		reached[0][505] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 137: // STATE 507 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (516:0:1 - 1)
		IfNotBlocked
		reached[0][507] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(516, 508, 516) */
		reached[0][508] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(516, 512, 516) */
		reached[0][512] = 1;
		;
		/* merge: n = (n+1)(516, 513, 516) */
		reached[0][513] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 517, 516) */
		reached[0][517] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 138: // STATE 510 - cluster.pml:121 - [(1)] (516:0:1 - 1)
		IfNotBlocked
		reached[0][510] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(516, 512, 516) */
		reached[0][512] = 1;
		;
		/* merge: n = (n+1)(516, 513, 516) */
		reached[0][513] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 517, 516) */
		reached[0][517] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 139: // STATE 513 - cluster.pml:110 - [n = (n+1)] (0:516:1 - 3)
		IfNotBlocked
		reached[0][513] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 517, 516) */
		reached[0][517] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 140: // STATE 519 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][519] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 520, 731) */
		reached[0][520] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 521, 731) */
		reached[0][521] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 522, 731) */
		reached[0][522] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 523, 731) */
		reached[0][523] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 524, 731) */
		reached[0][524] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 525, 731) */
		reached[0][525] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 141: // STATE 528 - cluster.pml:146 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][528] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 142: // STATE 529 - cluster.pml:146 - [((n<(3-1)))] (532:0:1 - 1)
		IfNotBlocked
		reached[0][529] = 1;
		if (!((((int)now.n)<(3-1))))
			continue;
		/* merge: n = (n+1)(0, 530, 532) */
		reached[0][530] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 533, 532) */
		reached[0][533] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 143: // STATE 535 - cluster.pml:146 - [(lease[n])] (580:0:1 - 2)
		IfNotBlocked
		reached[0][535] = 1;
		if (!(((int)now.lease[ Index(((int)now.n), 3) ])))
			continue;
		/* merge: lease[n] = 0(0, 536, 580) */
		reached[0][536] = 1;
		(trpt+1)->bup.oval = ((int)now.lease[ Index(((int)now.n), 3) ]);
		now.lease[ Index(now.n, 3) ] = 0;
#ifdef VAR_RANGES
		logval("lease[n]", ((int)now.lease[ Index(((int)now.n), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 144: // STATE 537 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][537] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 145: // STATE 538 - cluster.pml:110 - [((n<=(3-1)))] (558:0:1 - 1)
		IfNotBlocked
		reached[0][538] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 539, 558) */
		reached[0][539] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 559, 558) */
		reached[0][559] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 146: // STATE 540 - cluster.pml:111 - [((j<=(3-1)))] (552:0:1 - 1)
		IfNotBlocked
		reached[0][540] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 541, 552) */
		reached[0][541] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 553, 552) */
		reached[0][553] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 147: // STATE 542 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][542] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 148: // STATE 543 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (552:0:1 - 1)
		IfNotBlocked
		reached[0][543] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(552, 544, 552) */
		reached[0][544] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(552, 548, 552) */
		reached[0][548] = 1;
		;
		/* merge: i = (i+1)(552, 549, 552) */
		reached[0][549] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 553, 552) */
		reached[0][553] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 149: // STATE 546 - cluster.pml:116 - [(1)] (552:0:1 - 1)
		IfNotBlocked
		reached[0][546] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(552, 548, 552) */
		reached[0][548] = 1;
		;
		/* merge: i = (i+1)(552, 549, 552) */
		reached[0][549] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 553, 552) */
		reached[0][553] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 150: // STATE 549 - cluster.pml:112 - [i = (i+1)] (0:552:1 - 3)
		IfNotBlocked
		reached[0][549] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 553, 552) */
		reached[0][553] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 151: // STATE 555 - cluster.pml:111 - [j = (j+1)] (0:558:1 - 3)
		IfNotBlocked
		reached[0][555] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 559, 558) */
		reached[0][559] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 152: // STATE 561 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (570:0:1 - 1)
		IfNotBlocked
		reached[0][561] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(570, 562, 570) */
		reached[0][562] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(570, 566, 570) */
		reached[0][566] = 1;
		;
		/* merge: n = (n+1)(570, 567, 570) */
		reached[0][567] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 571, 570) */
		reached[0][571] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 153: // STATE 564 - cluster.pml:121 - [(1)] (570:0:1 - 1)
		IfNotBlocked
		reached[0][564] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(570, 566, 570) */
		reached[0][566] = 1;
		;
		/* merge: n = (n+1)(570, 567, 570) */
		reached[0][567] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 571, 570) */
		reached[0][571] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 154: // STATE 567 - cluster.pml:110 - [n = (n+1)] (0:570:1 - 3)
		IfNotBlocked
		reached[0][567] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 571, 570) */
		reached[0][571] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 155: // STATE 573 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][573] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 574, 731) */
		reached[0][574] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 575, 731) */
		reached[0][575] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 576, 731) */
		reached[0][576] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 577, 731) */
		reached[0][577] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 578, 731) */
		reached[0][578] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 579, 731) */
		reached[0][579] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 156: // STATE 582 - cluster.pml:147 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][582] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 157: // STATE 583 - cluster.pml:147 - [((n<(3-1)))] (586:0:1 - 1)
		IfNotBlocked
		reached[0][583] = 1;
		if (!((((int)now.n)<(3-1))))
			continue;
		/* merge: n = (n+1)(0, 584, 586) */
		reached[0][584] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 587, 586) */
		reached[0][587] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 158: // STATE 589 - cluster.pml:147 - [((counted[n]&&!(lease[n])))] (634:0:1 - 2)
		IfNotBlocked
		reached[0][589] = 1;
		if (!((((int)now.counted[ Index(((int)now.n), 3) ])&& !(((int)now.lease[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: counted[n] = 0(0, 590, 634) */
		reached[0][590] = 1;
		(trpt+1)->bup.oval = ((int)now.counted[ Index(((int)now.n), 3) ]);
		now.counted[ Index(now.n, 3) ] = 0;
#ifdef VAR_RANGES
		logval("counted[n]", ((int)now.counted[ Index(((int)now.n), 3) ]));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 159: // STATE 591 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][591] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 160: // STATE 592 - cluster.pml:110 - [((n<=(3-1)))] (612:0:1 - 1)
		IfNotBlocked
		reached[0][592] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 593, 612) */
		reached[0][593] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 613, 612) */
		reached[0][613] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 161: // STATE 594 - cluster.pml:111 - [((j<=(3-1)))] (606:0:1 - 1)
		IfNotBlocked
		reached[0][594] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 595, 606) */
		reached[0][595] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 607, 606) */
		reached[0][607] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 162: // STATE 596 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][596] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 163: // STATE 597 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (606:0:1 - 1)
		IfNotBlocked
		reached[0][597] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(606, 598, 606) */
		reached[0][598] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(606, 602, 606) */
		reached[0][602] = 1;
		;
		/* merge: i = (i+1)(606, 603, 606) */
		reached[0][603] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 607, 606) */
		reached[0][607] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 164: // STATE 600 - cluster.pml:116 - [(1)] (606:0:1 - 1)
		IfNotBlocked
		reached[0][600] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(606, 602, 606) */
		reached[0][602] = 1;
		;
		/* merge: i = (i+1)(606, 603, 606) */
		reached[0][603] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 607, 606) */
		reached[0][607] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 165: // STATE 603 - cluster.pml:112 - [i = (i+1)] (0:606:1 - 3)
		IfNotBlocked
		reached[0][603] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 607, 606) */
		reached[0][607] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 166: // STATE 609 - cluster.pml:111 - [j = (j+1)] (0:612:1 - 3)
		IfNotBlocked
		reached[0][609] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 613, 612) */
		reached[0][613] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 167: // STATE 615 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (624:0:1 - 1)
		IfNotBlocked
		reached[0][615] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(624, 616, 624) */
		reached[0][616] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(624, 620, 624) */
		reached[0][620] = 1;
		;
		/* merge: n = (n+1)(624, 621, 624) */
		reached[0][621] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 625, 624) */
		reached[0][625] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 168: // STATE 618 - cluster.pml:121 - [(1)] (624:0:1 - 1)
		IfNotBlocked
		reached[0][618] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(624, 620, 624) */
		reached[0][620] = 1;
		;
		/* merge: n = (n+1)(624, 621, 624) */
		reached[0][621] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 625, 624) */
		reached[0][625] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 169: // STATE 621 - cluster.pml:110 - [n = (n+1)] (0:624:1 - 3)
		IfNotBlocked
		reached[0][621] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 625, 624) */
		reached[0][625] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 170: // STATE 627 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][627] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 628, 731) */
		reached[0][628] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 629, 731) */
		reached[0][629] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 630, 731) */
		reached[0][630] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 631, 731) */
		reached[0][631] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 632, 731) */
		reached[0][632] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 633, 731) */
		reached[0][633] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 171: // STATE 636 - cluster.pml:149 - [((((((leader<3)&&up[leader])&&!(ended[leader]))&&(term[leader]==newest))&&(applied[leader]>shown)))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][636] = 1;
		if (!((((((((int)now.leader)<3)&&((int)now.up[ Index(((int)now.leader), 3) ]))&& !(((int)now.ended[ Index(((int)now.leader), 3) ])))&&(((int)now.term[ Index(((int)now.leader), 3) ])==((int)now.newest)))&&(((int)now.applied[ Index(((int)now.leader), 3) ])>((int)now.shown)))))
			continue;
		_m = 3; goto P999; /* 0 */
	case 172: // STATE 637 - cluster.pml:151 - [(((!((counted[0]&&(applied[0]<=shown)))&&!((counted[1]&&(applied[1]<=shown))))&&!((counted[2]&&(applied[2]<=shown)))))] (682:0:1 - 1)
		IfNotBlocked
		reached[0][637] = 1;
		if (!((( !((((int)now.counted[0])&&(((int)now.applied[0])<=((int)now.shown))))&& !((((int)now.counted[1])&&(((int)now.applied[1])<=((int)now.shown)))))&& !((((int)now.counted[2])&&(((int)now.applied[2])<=((int)now.shown)))))))
			continue;
		/* merge: shown = (shown+1)(0, 638, 682) */
		reached[0][638] = 1;
		(trpt+1)->bup.oval = ((int)now.shown);
		now.shown = (((int)now.shown)+1);
#ifdef VAR_RANGES
		logval("shown", ((int)now.shown));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 173: // STATE 639 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][639] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 174: // STATE 640 - cluster.pml:110 - [((n<=(3-1)))] (660:0:1 - 1)
		IfNotBlocked
		reached[0][640] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 641, 660) */
		reached[0][641] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 661, 660) */
		reached[0][661] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 175: // STATE 642 - cluster.pml:111 - [((j<=(3-1)))] (654:0:1 - 1)
		IfNotBlocked
		reached[0][642] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 643, 654) */
		reached[0][643] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 655, 654) */
		reached[0][655] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 176: // STATE 644 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][644] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 177: // STATE 645 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (654:0:1 - 1)
		IfNotBlocked
		reached[0][645] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(654, 646, 654) */
		reached[0][646] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(654, 650, 654) */
		reached[0][650] = 1;
		;
		/* merge: i = (i+1)(654, 651, 654) */
		reached[0][651] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 655, 654) */
		reached[0][655] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 178: // STATE 648 - cluster.pml:116 - [(1)] (654:0:1 - 1)
		IfNotBlocked
		reached[0][648] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(654, 650, 654) */
		reached[0][650] = 1;
		;
		/* merge: i = (i+1)(654, 651, 654) */
		reached[0][651] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 655, 654) */
		reached[0][655] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 179: // STATE 651 - cluster.pml:112 - [i = (i+1)] (0:654:1 - 3)
		IfNotBlocked
		reached[0][651] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 655, 654) */
		reached[0][655] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 180: // STATE 657 - cluster.pml:111 - [j = (j+1)] (0:660:1 - 3)
		IfNotBlocked
		reached[0][657] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 661, 660) */
		reached[0][661] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 181: // STATE 663 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (672:0:1 - 1)
		IfNotBlocked
		reached[0][663] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(672, 664, 672) */
		reached[0][664] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(672, 668, 672) */
		reached[0][668] = 1;
		;
		/* merge: n = (n+1)(672, 669, 672) */
		reached[0][669] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 673, 672) */
		reached[0][673] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 182: // STATE 666 - cluster.pml:121 - [(1)] (672:0:1 - 1)
		IfNotBlocked
		reached[0][666] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(672, 668, 672) */
		reached[0][668] = 1;
		;
		/* merge: n = (n+1)(672, 669, 672) */
		reached[0][669] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 673, 672) */
		reached[0][673] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 183: // STATE 669 - cluster.pml:110 - [n = (n+1)] (0:672:1 - 3)
		IfNotBlocked
		reached[0][669] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 673, 672) */
		reached[0][673] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 184: // STATE 675 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][675] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 676, 731) */
		reached[0][676] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 677, 731) */
		reached[0][677] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 678, 731) */
		reached[0][678] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 679, 731) */
		reached[0][679] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 680, 731) */
		reached[0][680] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 681, 731) */
		reached[0][681] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 185: // STATE 684 - cluster.pml:155 - [((!(drained)&&(((leader<3)&&up[leader])&&!(ended[leader]))))] (729:0:1 - 1)
		IfNotBlocked
		reached[0][684] = 1;
		if (!(( !(((int)now.drained))&&(((((int)now.leader)<3)&&((int)now.up[ Index(((int)now.leader), 3) ]))&& !(((int)now.ended[ Index(((int)now.leader), 3) ]))))))
			continue;
		/* merge: drained = 1(0, 685, 729) */
		reached[0][685] = 1;
		(trpt+1)->bup.oval = ((int)now.drained);
		now.drained = 1;
#ifdef VAR_RANGES
		logval("drained", ((int)now.drained));
#endif
		;
		_m = 3; goto P999; /* 1 */
	case 186: // STATE 686 - cluster.pml:110 - [n = 0] (0:0:1 - 1)
		IfNotBlocked
		reached[0][686] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		_m = 3; goto P999; /* 0 */
	case 187: // STATE 687 - cluster.pml:110 - [((n<=(3-1)))] (707:0:1 - 1)
		IfNotBlocked
		reached[0][687] = 1;
		if (!((((int)now.n)<=(3-1))))
			continue;
		/* merge: j = 0(0, 688, 707) */
		reached[0][688] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 708, 707) */
		reached[0][708] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 188: // STATE 689 - cluster.pml:111 - [((j<=(3-1)))] (701:0:1 - 1)
		IfNotBlocked
		reached[0][689] = 1;
		if (!((((int)now.j)<=(3-1))))
			continue;
		/* merge: i = 0(0, 690, 701) */
		reached[0][690] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 702, 701) */
		reached[0][702] = 1;
		;
		_m = 3; goto P999; /* 2 */
	case 189: // STATE 691 - cluster.pml:112 - [((i<=1))] (0:0:0 - 1)
		IfNotBlocked
		reached[0][691] = 1;
		if (!((((int)now.i)<=1)))
			continue;
		_m = 3; goto P999; /* 0 */
	case 190: // STATE 692 - cluster.pml:114 - [((((((((up[n]&&up[j])&&!(ended[n]))&&!(ended[j]))&&(leader!=3))&&(term[n]==term[j]))&&(applied[n]>i))&&(applied[j]>i)))] (701:0:1 - 1)
		IfNotBlocked
		reached[0][692] = 1;
		if (!((((((((((int)now.up[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.j), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))&& !(((int)now.ended[ Index(((int)now.j), 3) ])))&&(((int)now.leader)!=3))&&(((int)now.term[ Index(((int)now.n), 3) ])==((int)now.term[ Index(((int)now.j), 3) ])))&&(((int)now.applied[ Index(((int)now.n), 3) ])>((int)now.i)))&&(((int)now.applied[ Index(((int)now.j), 3) ])>((int)now.i)))))
			continue;
		/* merge: assert((did[((n*2)+i)]==did[((j*2)+i)]))(701, 693, 701) */
		reached[0][693] = 1;
		spin_assert((((int)now.did[ Index(((((int)now.n)*2)+((int)now.i)), 6) ])==((int)now.did[ Index(((((int)now.j)*2)+((int)now.i)), 6) ])), "(did[((n*2)+i)]==did[((j*2)+i)])", II, tt, t);
		/* merge: .(goto)(701, 697, 701) */
		reached[0][697] = 1;
		;
		/* merge: i = (i+1)(701, 698, 701) */
		reached[0][698] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 702, 701) */
		reached[0][702] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 191: // STATE 695 - cluster.pml:116 - [(1)] (701:0:1 - 1)
		IfNotBlocked
		reached[0][695] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(701, 697, 701) */
		reached[0][697] = 1;
		;
		/* merge: i = (i+1)(701, 698, 701) */
		reached[0][698] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 702, 701) */
		reached[0][702] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 192: // STATE 698 - cluster.pml:112 - [i = (i+1)] (0:701:1 - 3)
		IfNotBlocked
		reached[0][698] = 1;
		(trpt+1)->bup.oval = ((int)now.i);
		now.i = (((int)now.i)+1);
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: .(goto)(0, 702, 701) */
		reached[0][702] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 193: // STATE 704 - cluster.pml:111 - [j = (j+1)] (0:707:1 - 3)
		IfNotBlocked
		reached[0][704] = 1;
		(trpt+1)->bup.oval = ((int)now.j);
		now.j = (((int)now.j)+1);
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: .(goto)(0, 708, 707) */
		reached[0][708] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 194: // STATE 710 - cluster.pml:121 - [(((lease[n]&&up[n])&&!(ended[n])))] (719:0:1 - 1)
		IfNotBlocked
		reached[0][710] = 1;
		if (!(((((int)now.lease[ Index(((int)now.n), 3) ])&&((int)now.up[ Index(((int)now.n), 3) ]))&& !(((int)now.ended[ Index(((int)now.n), 3) ])))))
			continue;
		/* merge: assert((applied[n]>=shown))(719, 711, 719) */
		reached[0][711] = 1;
		spin_assert((((int)now.applied[ Index(((int)now.n), 3) ])>=((int)now.shown)), "(applied[n]>=shown)", II, tt, t);
		/* merge: .(goto)(719, 715, 719) */
		reached[0][715] = 1;
		;
		/* merge: n = (n+1)(719, 716, 719) */
		reached[0][716] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 720, 719) */
		reached[0][720] = 1;
		;
		_m = 3; goto P999; /* 4 */
	case 195: // STATE 713 - cluster.pml:121 - [(1)] (719:0:1 - 1)
		IfNotBlocked
		reached[0][713] = 1;
		if (!(1))
			continue;
		/* merge: .(goto)(719, 715, 719) */
		reached[0][715] = 1;
		;
		/* merge: n = (n+1)(719, 716, 719) */
		reached[0][716] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 720, 719) */
		reached[0][720] = 1;
		;
		_m = 3; goto P999; /* 3 */
	case 196: // STATE 716 - cluster.pml:110 - [n = (n+1)] (0:719:1 - 3)
		IfNotBlocked
		reached[0][716] = 1;
		(trpt+1)->bup.oval = ((int)now.n);
		now.n = (((int)now.n)+1);
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: .(goto)(0, 720, 719) */
		reached[0][720] = 1;
		;
		_m = 3; goto P999; /* 1 */
	case 197: // STATE 722 - cluster.pml:123 - [n = 0] (0:731:7 - 3)
		IfNotBlocked
		reached[0][722] = 1;
		(trpt+1)->bup.ovals = grab_ints(7);
		(trpt+1)->bup.ovals[0] = ((int)now.n);
		now.n = 0;
#ifdef VAR_RANGES
		logval("n", ((int)now.n));
#endif
		;
		/* merge: i = 0(731, 723, 731) */
		reached[0][723] = 1;
		(trpt+1)->bup.ovals[1] = ((int)now.i);
		now.i = 0;
#ifdef VAR_RANGES
		logval("i", ((int)now.i));
#endif
		;
		/* merge: j = 0(731, 724, 731) */
		reached[0][724] = 1;
		(trpt+1)->bup.ovals[2] = ((int)now.j);
		now.j = 0;
#ifdef VAR_RANGES
		logval("j", ((int)now.j));
#endif
		;
		/* merge: k = 0(731, 725, 731) */
		reached[0][725] = 1;
		(trpt+1)->bup.ovals[3] = ((int)now.k);
		now.k = 0;
#ifdef VAR_RANGES
		logval("k", ((int)now.k));
#endif
		;
		/* merge: a = 0(731, 726, 731) */
		reached[0][726] = 1;
		(trpt+1)->bup.ovals[4] = ((int)now.a);
		now.a = 0;
#ifdef VAR_RANGES
		logval("a", ((int)now.a));
#endif
		;
		/* merge: b = 0(731, 727, 731) */
		reached[0][727] = 1;
		(trpt+1)->bup.ovals[5] = ((int)now.b);
		now.b = 0;
#ifdef VAR_RANGES
		logval("b", ((int)now.b));
#endif
		;
		/* merge: yes = 0(731, 728, 731) */
		reached[0][728] = 1;
		(trpt+1)->bup.ovals[6] = ((int)now.yes);
		now.yes = 0;
#ifdef VAR_RANGES
		logval("yes", ((int)now.yes));
#endif
		;
		/* merge: .(goto)(0, 732, 731) */
		reached[0][732] = 1;
		;
		_m = 3; goto P999; /* 7 */
	case 198: // STATE 734 - cluster.pml:174 - [-end-] (0:0:0 - 1)
		IfNotBlocked
		reached[0][734] = 1;
		if (!delproc(1, II)) continue;
		_m = 3; goto P999; /* 0 */
	case  _T5:	/* np_ */
		if (!((!(trpt->o_pm&4) && !(trpt->tau&128))))
			continue;
		/* else fall through */
	case  _T2:	/* true */
		_m = 3; goto P999;
#undef rand
	}

