#include "textflag.h"

// func dotVector(u, v *float32, n int) float32
TEXT ·dotVector(SB), NOSPLIT, $0-28
	MOVQ u+0(FP), SI
	MOVQ v+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPS Y0, Y0, Y0 // lanes 0 to 7
	VXORPS Y1, Y1, Y1 // lanes 8 to 15

loop:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VMULPS (DI), Y2, Y2
	VMULPS 32(DI), Y3, Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JNZ  loop

	VADDPS Y1, Y0, Y0       // j and j+8
	VEXTRACTF128 $1, Y0, X1
	VADDPS X1, X0, X0       // j and j+4
	VMOVSHDUP X0, X1
	VADDPS X1, X0, X0       // j and j+1
	VMOVHLPS X0, X0, X1
	VADDSS X1, X0, X0       // j and j+2
	VZEROUPPER
	MOVSS X0, ret+24(FP)
	RET

// func dotStored(u, v *byte, n int) float32
TEXT ·dotStored(SB), NOSPLIT, $0-28
	JMP ·dotVector(SB) // the stored form is that of the memory, and may lie anywhere
