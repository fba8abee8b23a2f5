import { en, texts } from '../../../i18n/say.ts'

export const start = texts({
  title: en('Set up your gateway').zh('设置您的网关'),
  text: en('From an upstream to the first key: about three minutes.').zh('从添加上游到发出第一个密钥，大约三分钟。'),
  skip: en('Skip for now').zh('暂时跳过'),
  finish: en('Finish').zh('完成'),
  noPassword: en('You signed in with a one-time link. Choose a password so that you can sign in again.').zh(
    '您是通过一次性链接登录的。请设置密码，以便下次登录。',
  ),
  choosePassword: en('Choose a password').zh('设置密码'),
  added: en('Add an upstream').zh('添加上游'),
  handOut: en('Hand out a key, or invite a colleague').zh('发放密钥，或邀请同事'),
  key: {
    heading: en('Hand out a key').zh('发放密钥'),
    explained: en('For a team or an application: an account with credit and its first key.').zh(
      '供团队或程序使用：一个有额度的账户，以及它的第一个密钥。',
    ),
    name: en('Name of the account').zh('账户名称'),
    nameHint: en('For example "Research team".').zh('例如“研究团队”。'),
    nameMissing: en('Enter a name.').zh('请输入名称。'),
    credit: en('Credit (USD)').zh('额度（USD）'),
    creditWrong: en('Enter an amount such as 12.50.').zh('请输入金额，例如 12.50。'),
    submit: en('Create a key').zh('创建密钥'),
    title: en((name: string) => `Create the account ${name} with a key?`).zh((name) => `创建账户 ${name} 和一个密钥？`),
    text: en((usd: string) => `It gets ${usd} USD of credit. Its key can spend no more than that.`).zh(
      (usd) => `该账户获得 ${usd} USD 额度，其密钥的消费不会超过该额度。`,
    ),
    create: en('Create').zh('创建'),
    created: en((name: string) => `${name} has an account and a key.`).zh((name) => `${name} 已有账户和密钥。`),
    keyName: en('first key').zh('第一个密钥'),
    send: en((model: string) => `Send a request to ${model}`).zh((model) => `向 ${model} 发送请求`),
    answer: en('Answer').zh('回答'),
    latency: en('Time').zh('耗时'),
  },
  invite: {
    heading: en('Invite a colleague').zh('邀请同事'),
    explained: en('To operate this gateway with you. The link works once and is valid for 7 days.').zh(
      '与您一起运营此网关。链接 7 天内有效，只能使用一次。',
    ),
    role: en('Role').zh('角色'),
    email: en('Email').zh('邮箱'),
    emailHint: en('Only this address can accept.').zh('只有此邮箱可以接受邀请。'),
    submit: en('Create a link').zh('创建链接'),
    title: en((role: string) => `Invite a colleague as ${role}?`).zh((role) => `邀请同事担任${role}？`),
    text: en('Anyone who opens the link gets this role.').zh('任何打开链接的人都将获得此角色。'),
    create: en('Create the link').zh('创建链接'),
    created: en('The invitation was created.').zh('邀请已创建。'),
    link: en('Send this link to your colleague. It is shown once.').zh('请将此链接发送给您的同事。它只显示一次。'),
    linkLabel: en('Invitation link').zh('邀请链接'),
  },
})
