import { expect, test } from 'bun:test'
import { addressForm } from './address-form.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  [' Ada@Example.COM ', 'ada@example.com'],
  ['ada+shop@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['+ada@example.com', '+ada@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['a.d.a@gmail.com', 'ada@gmail.com'],
  ['A.d.a+x@GoogleMail.com', 'ada@gmail.com'],
  ['...@gmail.com', '...@gmail.com'],
  ['ada@example.com.', 'ada@example.com'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@BU\u0308CHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ada@ｅxample.com', 'ada@example.com'],
  ['ａda@example.com', 'ada@example.com'],
  ['a\u200bd\u00ada\ufe0f@exa\u200dmple.com', 'ada@example.com'],
  ['zoe\u0308@example.com', 'zo\u00eb@example.com'],
  ['ada@localhost', 'ada@localhost'],
  // Not names of domains: nothing may be cut off or decoded.
  ['ada@a/b', 'ada@a/b'],
  ['ada@a%2ecom', 'ada@a%2ecom'],
  ['nobody', 'nobody'],
])('%j has the form %j', (email, form) => {
  expect(addressForm(email)).toBe(form)
})

test('a form is its own form', () => {
  for (const email of ['A.d.a+x@GoogleMail.com', 'ada@bücher.example', 'ada+shop@example.com'])
    expect(addressForm(addressForm(email))).toBe(addressForm(email))
})
