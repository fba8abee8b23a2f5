// A bitmap font for printable ASCII: 5 columns of 8 pixels for each character, the lowest bit at the top.

export const GLYPH_WIDTH = 5
export const GLYPH_HEIGHT = 8
/** From one character to the next, and from one line to the next. */
export const ADVANCE = GLYPH_WIDTH + 1
export const LINE = GLYPH_HEIGHT + 2

const FIRST = 0x20
/** Ten hexadecimal digits for each character, from the space to the tilde. */
const COLUMNS = [
  '0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649562050 0000070000', //   ! " # $ % & '
  '001c224100 0041221c00 2a1c7f1c2a 08083e0808 0080603000 0808080808 0000606000 2010080402', // ( ) * + , - . /
  '3e5149453e 00427f4000 6251494946 2241494936 1814127f10 2745454539 3c4a494931 0101710907', // 0 1 2 3 4 5 6 7
  '3649494936 464949291e 0000360000 0080760000 0008142241 1414141414 0041221408 0201590906', // 8 9 : ; < = > ?
  '3e415d594e 7c1211127c 7f49494936 3e41414122 7f41413e00 7f49494941 7f09090901 3e41495132', // @ A B C D E F G
  '7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f020c027f 7f0408107f 3e4141413e', // H I J K L M N O
  '7f09090906 3e4151215e 7f09192946 2649494932 01017f0101 3f4040403f 1f2040201f 3f4038403f', // P Q R S T U V W
  '6314081463 0304780403 6151494543 007f414100 0204081020 0041417f00 0402010204 8080808080', // X Y Z [ \ ] ^ _
  '0001020400 2054545478 7f44444438 3844444428 384444447f 3854545418 00087e0902 18a4a4a47c', // ` a b c d e f g
  '7f08040478 00447d4000 4080847d00 7f10284400 00417f4000 7c04780478 7c08040478 3844444438', // h i j k l m n o
  'fc24242418 18242424fc 7c08040408 4854545424 043f442400 3c4040207c 1c2040201c 3c4030403c', // p q r s t u v w
  '4428102844 1ca0a0a07c 4464544c44 0008364100 0000770000 0041360800 0201020402', //             x y z { | } ~
]
  .join(' ')
  .split(' ')
  .map((digits) =>
    Array.from({ length: GLYPH_WIDTH }, (_, column) => Number.parseInt(digits.slice(column * 2, column * 2 + 2), 16)),
  )

/** For characters that the font does not have. */
const BOX = [0x7f, 0x41, 0x41, 0x41, 0x7f]

/** The columns of a character. */
export function glyphOf(character: string): readonly number[] {
  return COLUMNS[(character.codePointAt(0) ?? 0) - FIRST] ?? BOX
}

/** Lines of at most `most` characters, broken between words where that is possible. Ends in `...` if there are too many. */
export function wrapped(text: string, most: number, maxLines: number): string[] {
  const lines: string[] = []
  for (const paragraph of text.split(/\r\n|\r|\n/)) {
    let line = ''
    for (const word of paragraph.split(/\s+/).filter((part) => part !== '')) {
      let rest = [...word]
      const room = most - [...line].length - (line === '' ? 0 : 1)
      if (rest.length <= room) {
        line = line === '' ? word : `${line} ${word}`
        continue
      }
      if (line !== '') lines.push(line)
      while (rest.length > most) {
        lines.push(rest.slice(0, most).join(''))
        rest = rest.slice(most)
      }
      line = rest.join('')
      if (lines.length > maxLines) break
    }
    if (line !== '') lines.push(line)
    if (lines.length > maxLines) break
  }
  if (lines.length <= maxLines) return lines
  const last = [...(lines[maxLines - 1] ?? '')].slice(0, Math.max(0, most - 3)).join('')
  return [...lines.slice(0, maxLines - 1), `${last}...`]
}
