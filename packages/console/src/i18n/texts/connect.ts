import { en, texts } from '../say.ts'

export const connect = texts({
  title: en('Connect').zh('接入'),
  text: en('Set up a client: choose a key, a model and a client, and copy the snippet.').zh(
    '设置客户端：选择密钥、模型和客户端，然后复制代码。',
  ),
  reference: en('API reference').zh('API 参考'),
  key: en('Key').zh('密钥'),
  keyText: en('Its group decides which models the client can call.').zh('密钥的分组决定客户端可以调用哪些模型。'),
  chosenKey: en('Key to use').zh('使用的密钥'),
  noKey: en('You have no active key').zh('您没有有效的密钥'),
  secret: en('Its secret').zh('完整密钥'),
  secretHint: en('Optional. It is put into the snippet and never stored. The gateway cannot show it again.').zh(
    '选填。只用于填入代码，不会被保存。网关无法再次显示完整密钥。',
  ),
  create: en('Create key').zh('创建密钥'),
  manage: en('Manage keys').zh('管理密钥'),
  client: en('Client').zh('客户端'),
  clientText: en('The snippet includes the base URL that this client needs.').zh(
    '代码中已包含此客户端所需的 Base URL。',
  ),
  test: en('Send a test request').zh('发送测试请求'),
  testNeedsSecret: en('To send a test request, enter the secret of the key or create a key.').zh(
    '请填写完整密钥，或创建新密钥，然后发送测试请求。',
  ),
})
