	switch (t->back) {
	default: Uerror("bad return move");
	case  0: goto R999; /* nothing to undo */

		 /* PROC cluster */

	case 3: // STATE 1
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 4: // STATE 5
		;
		now.n = trpt->bup.ovals[2];
		now.votes[ Index(now.n, 3) ] = trpt->bup.ovals[1];
		now.up[ Index(now.n, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 5: // STATE 11
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 6: // STATE 13
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 7: // STATE 15
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 8: // STATE 21
		;
		now.up[ Index(now.n, 3) ] = trpt->bup.oval;
		;
		goto R999;

	case 9: // STATE 22
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 10: // STATE 24
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 11: // STATE 26
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 13: // STATE 34
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 14: // STATE 34
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 15: // STATE 34
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 16: // STATE 40
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 17: // STATE 52
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 18: // STATE 52
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 19: // STATE 52
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 20: // STATE 64
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 21: // STATE 68
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 22: // STATE 70
		;
		now.n = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 24: // STATE 77
		;
		now.j = trpt->bup.ovals[1];
		now.k = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 25: // STATE 80
		;
		now.j = trpt->bup.ovals[1];
		now.k = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 26: // STATE 87
		;
		now.yes = trpt->bup.oval;
		;
		goto R999;

	case 27: // STATE 95
		;
		now.j = trpt->bup.ovals[1];
		now.a = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 28: // STATE 95
		;
		now.j = trpt->bup.ovals[1];
		now.a = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 29: // STATE 95
		;
		now.j = trpt->bup.oval;
		;
		goto R999;
;
		;
		;
		;
		
	case 32: // STATE 99
		;
		now.b = trpt->bup.oval;
		;
		goto R999;

	case 33: // STATE 101
		;
		now.b = trpt->bup.oval;
		;
		goto R999;

	case 34: // STATE 115
		;
		now.j = trpt->bup.ovals[1];
		now.yes = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 35: // STATE 115
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 36: // STATE 115
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 37: // STATE 115
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 38: // STATE 124
		;
		now.j = trpt->bup.ovals[2];
		now.leader = trpt->bup.ovals[1];
		now.newest = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 40: // STATE 132
		;
		now.j = trpt->bup.ovals[1];
		now.term[ Index(now.j, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 41: // STATE 132
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 42: // STATE 132
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 43: // STATE 143
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 44: // STATE 145
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 45: // STATE 147
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 47: // STATE 155
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 48: // STATE 155
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 49: // STATE 155
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 50: // STATE 161
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 51: // STATE 173
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 52: // STATE 173
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 53: // STATE 173
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 54: // STATE 185
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 55: // STATE 191
		;
		now.batch = trpt->bup.ovals[2];
		now.size[ Index(now.leader, 3) ] = trpt->bup.ovals[1];
		now.log[ Index(((now.leader*2)+now.size[ Index(now.leader, 3) ]), 6) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 56: // STATE 192
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 57: // STATE 194
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 58: // STATE 196
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 60: // STATE 204
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 61: // STATE 204
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 62: // STATE 204
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 63: // STATE 210
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 64: // STATE 222
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 65: // STATE 222
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 66: // STATE 222
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 67: // STATE 234
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 68: // STATE 238
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 69: // STATE 240
		;
		now.n = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 71: // STATE 247
		;
		now.a = trpt->bup.ovals[1];
		now.term[ Index(now.n, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 72: // STATE 249
		;
		now.a = trpt->bup.oval;
		;
		goto R999;

	case 73: // STATE 258
		;
		now.lease[ Index(now.n, 3) ] = trpt->bup.ovals[2];
		now.up[ Index(now.n, 3) ] = trpt->bup.ovals[1];
		now.ended[ Index(now.n, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 74: // STATE 262
		;
		now.j = trpt->bup.ovals[1];
		now.size[ Index(now.n, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 75: // STATE 265
		;
		now.j = trpt->bup.ovals[1];
		now.log[ Index(((now.n*2)+now.j), 6) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 76: // STATE 278
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 77: // STATE 280
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 78: // STATE 282
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 80: // STATE 290
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 81: // STATE 290
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 82: // STATE 290
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 83: // STATE 296
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 84: // STATE 308
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 85: // STATE 308
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 86: // STATE 308
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 87: // STATE 320
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;
;
		;
		
	case 89: // STATE 324
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 90: // STATE 326
		;
		now.j = trpt->bup.ovals[1];
		now.k = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 91: // STATE 329
		;
		now.j = trpt->bup.ovals[1];
		now.k = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 92: // STATE 338
		;
		now.j = trpt->bup.ovals[2];
		now.b = trpt->bup.ovals[1];
		now.yes = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;
;
		;
		
	case 94: // STATE 347
		;
		now.j = trpt->bup.ovals[2];
		now.yes = trpt->bup.ovals[1];
		now.b = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 95: // STATE 347
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 96: // STATE 347
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 97: // STATE 358
		;
		known[ Index(now.leader, 3) ] = trpt->bup.ovals[2];
		now.applied[ Index(now.leader, 3) ] = trpt->bup.ovals[1];
		now.did[ Index(((now.leader*2)+now.i), 6) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 98: // STATE 360
		;
		now.ack[ Index(now.i, 2) ] = trpt->bup.oval;
		;
		goto R999;

	case 99: // STATE 370
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 100: // STATE 372
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 101: // STATE 374
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 103: // STATE 382
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 104: // STATE 382
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 105: // STATE 382
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 106: // STATE 388
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 107: // STATE 400
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 108: // STATE 400
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 109: // STATE 400
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 110: // STATE 412
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 111: // STATE 416
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 112: // STATE 418
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 113: // STATE 426
		;
		known[ Index(now.n, 3) ] = trpt->bup.ovals[2];
		now.applied[ Index(now.n, 3) ] = trpt->bup.ovals[1];
		now.did[ Index(((now.n*2)+now.applied[ Index(now.n, 3) ]), 6) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 3);
		goto R999;

	case 114: // STATE 427
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 115: // STATE 429
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 116: // STATE 431
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 118: // STATE 439
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 119: // STATE 439
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 120: // STATE 439
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 121: // STATE 445
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 122: // STATE 457
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 123: // STATE 457
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 124: // STATE 457
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 125: // STATE 469
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 126: // STATE 473
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 127: // STATE 475
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 128: // STATE 482
		;
		now.counted[ Index(now.n, 3) ] = trpt->bup.ovals[1];
		now.lease[ Index(now.n, 3) ] = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 2);
		goto R999;

	case 129: // STATE 483
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 130: // STATE 485
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 131: // STATE 487
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 133: // STATE 495
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 134: // STATE 495
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 135: // STATE 495
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 136: // STATE 501
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 137: // STATE 513
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 138: // STATE 513
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 139: // STATE 513
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 140: // STATE 525
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 141: // STATE 528
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 142: // STATE 530
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 143: // STATE 536
		;
		now.lease[ Index(now.n, 3) ] = trpt->bup.oval;
		;
		goto R999;

	case 144: // STATE 537
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 145: // STATE 539
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 146: // STATE 541
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 148: // STATE 549
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 149: // STATE 549
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 150: // STATE 549
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 151: // STATE 555
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 152: // STATE 567
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 153: // STATE 567
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 154: // STATE 567
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 155: // STATE 579
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 156: // STATE 582
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 157: // STATE 584
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 158: // STATE 590
		;
		now.counted[ Index(now.n, 3) ] = trpt->bup.oval;
		;
		goto R999;

	case 159: // STATE 591
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 160: // STATE 593
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 161: // STATE 595
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 163: // STATE 603
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 164: // STATE 603
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 165: // STATE 603
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 166: // STATE 609
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 167: // STATE 621
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 168: // STATE 621
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 169: // STATE 621
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 170: // STATE 633
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;
;
		;
		
	case 172: // STATE 638
		;
		now.shown = trpt->bup.oval;
		;
		goto R999;

	case 173: // STATE 639
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 174: // STATE 641
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 175: // STATE 643
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 177: // STATE 651
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 178: // STATE 651
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 179: // STATE 651
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 180: // STATE 657
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 181: // STATE 669
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 182: // STATE 669
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 183: // STATE 669
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 184: // STATE 681
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 185: // STATE 685
		;
		now.drained = trpt->bup.oval;
		;
		goto R999;

	case 186: // STATE 686
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 187: // STATE 688
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 188: // STATE 690
		;
		now.i = trpt->bup.oval;
		;
		goto R999;
;
		;
		
	case 190: // STATE 698
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 191: // STATE 698
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 192: // STATE 698
		;
		now.i = trpt->bup.oval;
		;
		goto R999;

	case 193: // STATE 704
		;
		now.j = trpt->bup.oval;
		;
		goto R999;

	case 194: // STATE 716
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 195: // STATE 716
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 196: // STATE 716
		;
		now.n = trpt->bup.oval;
		;
		goto R999;

	case 197: // STATE 728
		;
		now.yes = trpt->bup.ovals[6];
		now.b = trpt->bup.ovals[5];
		now.a = trpt->bup.ovals[4];
		now.k = trpt->bup.ovals[3];
		now.j = trpt->bup.ovals[2];
		now.i = trpt->bup.ovals[1];
		now.n = trpt->bup.ovals[0];
		;
		ungrab_ints(trpt->bup.ovals, 7);
		goto R999;

	case 198: // STATE 734
		;
		p_restor(II);
		;
		;
		goto R999;
	}

