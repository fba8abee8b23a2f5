// Writes every mutant of a file into one copy of it, each behind a switch, so that a program loads once and tries many.
import { createRequire } from 'node:module'
import type * as TypeScript from '../../tools/api-client/node_modules/typescript/lib/typescript.d.ts'
import { type Mutant, SWITCH_NAME } from './mutant.ts'
import { type Mutation, mutationsOf } from './mutations.ts'

/** The compiler of the project's own version has no API any more. */
const ts: typeof TypeScript = createRequire(new URL('../../tools/api-client/package.json', import.meta.url))(
  'typescript',
)

const SWITCH = `globalThis.${SWITCH_NAME}`

export function instrument(file: string, source: string, firstId: number): { text: string; mutants: Mutant[] } {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
  const mutants: Mutant[] = []

  function add(node: TypeScript.Node, what: string): number {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart())
    const [within, isStatic] = placeOf(node)
    const id = firstId + mutants.length
    mutants.push({ id, file, line: line + 1, within, code: codeOf(node), what, isStatic })
    return id
  }

  /** The original text of a node, or, if `isOn`, with the mutants in it. */
  function print(node: TypeScript.Node): string {
    let [text, at] = ['', node.getStart()]
    ts.forEachChild(node, (child) => {
      text += source.slice(at, child.getStart()) + switched(child)
      at = child.end
    })
    return text + source.slice(at, node.end)
  }

  function switched(node: TypeScript.Node): string {
    if (
      ts.isTypeNode(node) ||
      ts.isImportDeclaration(node) ||
      ts.isTypeAliasDeclaration(node) ||
      ts.isInterfaceDeclaration(node)
    )
      return node.getText()
    if (ts.isIfStatement(node)) return switchedIf(node)
    const mutations = mutationsOf(ts, node)
    // Each node is printed once: what is printed twice is counted twice.
    if (mutations.length > 0 && ts.isPropertyAccessExpression(node)) return switchedMethod(node, mutations)
    const inner = print(node)
    if (ts.isExpressionStatement(node)) return `if (${SWITCH} !== ${add(node, 'left out')}) {${inner}}`
    if (mutations.length === 0) return inner
    const cases = mutations.map(({ what, text }) => `${SWITCH} === ${add(node, what)} ? (${text}) : `)
    return `(${cases.join('')}(${inner}))`
  }

  function switchedIf(node: TypeScript.IfStatement): string {
    const condition = node.expression
    const never = add(condition, 'never')
    const then = `{${switched(node.thenStatement)}}`
    // A line break: what comes before may end in a comment.
    const otherwise = node.elseStatement ? `\nelse {${switched(node.elseStatement)}}` : ''
    return `if (${SWITCH} !== ${never} && (${switched(condition)})) ${then}${otherwise}`
  }

  /** The name alone is switched, so that the method keeps the object that it is called on. */
  function switchedMethod(node: TypeScript.PropertyAccessExpression, mutations: readonly Mutation[]): string {
    const cases = mutations.map(({ what, text }) => `${SWITCH} === ${add(node, what)} ? '${text}' : `)
    return `${switched(node.expression)}[${cases.join('')}'${node.name.text}']`
  }

  return { text: print(tree), mutants }
}

function placeOf(node: TypeScript.Node): [within: string, isStatic: boolean] {
  let isStatic = true
  let within = ''
  for (let above = node.parent; above; above = above.parent) {
    if (ts.isFunctionLike(above)) isStatic = false
    if (
      (ts.isFunctionDeclaration(above) || ts.isVariableDeclaration(above)) &&
      above.name &&
      ts.isIdentifier(above.name)
    )
      within = above.name.text
  }
  return [within, isStatic]
}

/** A number alone says nothing. */
const codeOf = (node: TypeScript.Node): string =>
  shortened((ts.isNumericLiteral(node) || ts.isBigIntLiteral(node) ? node.parent : node).getText())

const shortened = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100)
