#include "textflag.h"

// func dotCodesVector(query *int16, codes *byte, stride, rows int, products *int32)
TEXT ·dotCodesVector(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ codes+8(FP), DI
	MOVQ stride+16(FP), DX
	MOVQ rows+24(FP), CX
	MOVQ products+32(FP), BX

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  SI, R8
	MOVQ  DX, R9
	SUBQ  $32, R9
	JLT   rest

loop: // 32 numbers at a time: to 16 bits, products of pairs added up in 32 bits
	VPMOVSXBW (DI), Y2
	VPMOVSXBW 16(DI), Y3
	VPMADDWD  (R8), Y2, Y2
	VPMADDWD  32(R8), Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, DI
	ADDQ      $64, R8
	SUBQ      $32, R9
	JGE       loop

rest:
	ADDQ $32, R9
	JZ   sum
	VPMOVSXBW (DI), Y2
	VPMADDWD  (R8), Y2, Y2
	VPADDD    Y2, Y0, Y0
	ADDQ      $16, DI

sum:
	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD  X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD  X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD  X1, X0, X0
	VMOVD   X0, (BX)
	ADDQ    $4, BX
	DECQ    CX
	JNZ     row
	VZEROUPPER
	RET
