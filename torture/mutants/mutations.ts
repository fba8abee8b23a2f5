// What can be wrong in an expression or a statement, by the syntax tree. Each mutation is one small mistake that the types allow.
import type * as TypeScript from '../../tools/api-client/node_modules/typescript/lib/typescript.d.ts'

/** `text` stands in place of the node, or of the name of the method that it calls. */
export type Mutation = { what: string; text: string }

type Ts = typeof TypeScript

const OTHER_OPERATORS: Record<string, readonly string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '<<': ['>>'],
  '>>': ['<<'],
  '+=': ['-='],
  '-=': ['+='],
}
const OTHER_METHODS = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    min: 'max',
    max: 'min',
    ceil: 'floor',
    floor: 'ceil',
  }),
)

export function mutationsOf(ts: Ts, node: TypeScript.Node): Mutation[] {
  if (ts.isBinaryExpression(node)) return binary(ts, node)
  if (ts.isConditionalExpression(node))
    return [
      { what: 'the first case always', text: node.whenTrue.getText() },
      { what: 'the second case always', text: node.whenFalse.getText() },
    ]
  if (ts.isPrefixUnaryExpression(node) && node.operator !== ts.SyntaxKind.PlusPlusToken)
    return ts.isNumericLiteral(node.operand) || ts.isBigIntLiteral(node.operand)
      ? []
      : [{ what: 'without its sign', text: node.operand.getText() }]
  if (ts.isPropertyAccessExpression(node) && ts.isCallExpression(node.parent) && node.parent.expression === node) {
    const other = OTHER_METHODS.get(node.name.text)
    return other ? [{ what: `${node.name.text} -> ${other}`, text: other }] : []
  }
  return literal(ts, node)
}

function binary(ts: Ts, node: TypeScript.BinaryExpression): Mutation[] {
  const [left, right] = [node.left.getText(), node.right.getText()]
  const operator = node.operatorToken.getText()
  const others = (OTHER_OPERATORS[operator] ?? []).filter((other) => !(other === '-' && isText(ts, node)))
  const mutations = others.map((other) => ({ what: `${operator} -> ${other}`, text: `${left} ${other} ${right}` }))
  if (operator === '&&' || operator === '||')
    mutations.push({
      what: `${operator} -> ${operator === '&&' ? '||' : '&&'}`,
      text: `(${left}) ${operator === '&&' ? '||' : '&&'} (${right})`,
    })
  if (operator === '??')
    mutations.push(
      { what: 'without what stands for nothing', text: left },
      { what: 'always what stands for nothing', text: right },
    )
  return mutations
}

const isText = (ts: Ts, { left, right }: TypeScript.BinaryExpression): boolean =>
  [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))

function literal(ts: Ts, node: TypeScript.Node): Mutation[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword && !ts.isLiteralTypeNode(node.parent))
    return [{ what: 'true -> false', text: 'false' }]
  if (node.kind === ts.SyntaxKind.FalseKeyword && !ts.isLiteralTypeNode(node.parent))
    return [{ what: 'false -> true', text: 'true' }]
  const number = ts.isNumericLiteral(node) || ts.isBigIntLiteral(node) ? node.getText() : undefined
  const other = { '0': '1', '1': '0', '0n': '1n', '1n': '0n', '2': '1', '2n': '1n' }[number ?? '']
  return other && !ts.isLiteralTypeNode(node.parent) ? [{ what: `${number} -> ${other}`, text: other }] : []
}
