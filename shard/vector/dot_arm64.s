#include "textflag.h"

// The assembler does not know all instructions by name.
#define SXTL_V2_V4 WORD $0x0F08A444   // SXTL   V4.8H, V2.8B
#define SXTL2_V2_V5 WORD $0x4F08A445  // SXTL2  V5.8H, V2.16B
#define SMLAL_V4_V6 WORD $0x0E668080  // SMLAL  V0.4S, V4.4H, V6.4H
#define SMLAL2_V4_V6 WORD $0x4E668081 // SMLAL2 V1.4S, V4.8H, V6.8H
#define SMLAL_V5_V7 WORD $0x0E6780A0  // SMLAL  V0.4S, V5.4H, V7.4H
#define SMLAL2_V5_V7 WORD $0x4E6780A1 // SMLAL2 V1.4S, V5.8H, V7.8H

// func dotCodesVector(query *int16, codes *byte, stride, rows int, products *int32)
TEXT ·dotCodesVector(SB), NOSPLIT, $0-40
	MOVD query+0(FP), R0
	MOVD codes+8(FP), R1
	MOVD stride+16(FP), R2
	MOVD rows+24(FP), R3
	MOVD products+32(FP), R4

row:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R0, R5
	MOVD R2, R6

loop: // 16 numbers at a time
	VLD1.P 16(R1), [V2.B16]
	VLD1.P 32(R5), [V6.H8, V7.H8]
	SXTL_V2_V4
	SXTL2_V2_V5
	SMLAL_V4_V6
	SMLAL2_V4_V6
	SMLAL_V5_V7
	SMLAL2_V5_V7
	SUBS $16, R6, R6
	BNE  loop

	VADD V1.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	FMOVS F0, (R4)
	ADD  $4, R4
	SUBS $1, R3, R3
	BNE  row
	RET
