#include "textflag.h"

// func dotNibblesVector(query *int8, halves *byte, stride, rows int, products *int32)
TEXT ·dotNibblesVector(SB), NOSPLIT, $0-40
	MOVQ query+0(FP), SI
	MOVQ halves+8(FP), DI
	MOVQ stride+16(FP), DX
	MOVQ rows+24(FP), CX
	MOVQ products+32(FP), BX

	VPCMPEQW Y7, Y7, Y7
	VPSRLW   $15, Y7, Y6 // 1 in each 16 bits
	VPSRLW   $12, Y7, Y7
	VPACKUSWB Y7, Y7, Y7 // 15 in each byte

row:
	VPXOR Y0, Y0, Y0
	MOVQ  SI, R8
	MOVQ  DX, R9

loop: // 64 numbers at a time: products of pairs added up in 16 bits, then in 32
	PREFETCHT0 4096(DI) // the processor itself stays too near
	VMOVDQU    (DI), Y2
	VPSRLW     $4, Y2, Y3
	VPAND      Y7, Y2, Y2
	VPAND      Y7, Y3, Y3
	VPMADDUBSW (R8), Y2, Y2
	VPMADDUBSW 32(R8), Y3, Y3
	VPADDW     Y3, Y2, Y2
	VPMADDWD   Y6, Y2, Y2
	VPADDD     Y2, Y0, Y0
	ADDQ       $32, DI
	ADDQ       $64, R8
	SUBQ       $64, R9
	JNZ        loop

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
