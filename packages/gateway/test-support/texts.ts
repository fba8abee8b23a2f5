// Ordinary texts of several kinds, each of a few thousand characters.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = (path: string): string => readFileSync(join(import.meta.dir, '../../..', path), 'utf8').slice(0, 8_000)

const PROSE = {
  English:
    'The harbour was quiet when the first boats came in, and only the baker, who had been awake since three, saw how heavily they lay in the water. Nobody asked what they had caught; the smell answered before anyone could speak. ',
  German:
    'Als die ersten Boote einliefen, lag der Hafen noch still, und nur der Bäcker, der seit drei Uhr wach war, sah, wie schwer sie im Wasser lagen. Niemand fragte nach dem Fang; der Geruch über den Straßen genügte als Antwort. ',
  French:
    "Le port était calme lorsque les premiers bateaux rentrèrent, et seul le boulanger, réveillé depuis trois heures, vit combien ils étaient lourds. Personne ne demanda ce qu'ils avaient pêché : l'odeur répondait déjà. ",
  Russian:
    'Гавань была тиха, когда вернулись первые лодки, и только пекарь, не спавший с трёх часов, увидел, как тяжело они сидят в воде. Никто не спрашивал об улове: запах ответил раньше, чем кто-либо заговорил. ',
  Chinese:
    '第一批船进港的时候，港口还很安静，只有凌晨三点就起床的面包师看见它们吃水有多深。没有人问他们捕到了什么，气味已经先回答了。渔夫们把绳子系好，慢慢走上石阶，一句话也没有说。',
  Japanese:
    '最初の船が入ってきたとき、港はまだ静かで、三時から起きていたパン屋だけが、船がどれほど深く沈んでいるかを見た。何が獲れたのかと尋ねる者はいなかった。匂いがすでに答えていたからである。',
  Arabic:
    'كان الميناء هادئا حين عادت القوارب الأولى، ولم ير أحد كم كانت ثقيلة في الماء سوى الخباز الذي استيقظ منذ الثالثة. لم يسأل أحد عما اصطادوه، فقد سبقت الرائحة كل كلام. ',
  Hindi:
    'जब पहली नावें लौटीं तब बंदरगाह शांत था, और केवल नानबाई ने, जो तीन बजे से जाग रहा था, देखा कि वे पानी में कितनी भारी थीं। किसी ने नहीं पूछा कि उन्होंने क्या पकड़ा है। ',
}

export const ORDINARY_TEXTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(PROSE).map(([language, text]) => [language, text.repeat(20)])),
  code: file('packages/gateway/src/overload/admission.ts'),
  markdown: file('ARCHITECTURE.md'),
  JSON: file('package-lock.json'),
  minified: JSON.stringify(JSON.parse(readFileSync(join(import.meta.dir, '../../../package.json'), 'utf8'))),
}

/** What tokenizers are slow at, or readers stumble over. */
export function hostileTexts(characters: number): Record<string, string> {
  const fill = (unit: string): string => unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters)
  let seed = 1
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const letters = Array.from({ length: characters }, () => String.fromCharCode(97 + Math.floor(random() * 26)))
  return {
    'one letter': fill('a'),
    'random letters': letters.join(''),
    spaces: fill(' '),
    'line feeds': fill('\n'),
    emoji: fill('👩‍👩‍👧‍👦'),
    'zero-width': fill('\u200b'),
    'combining marks': fill('e\u0301\u0302\u0303\u0304'),
    'lone surrogates': fill('\ud83d'),
    punctuation: fill('!?.,;:-_'),
    'no spaces': fill('漢字仮名交'),
  }
}
