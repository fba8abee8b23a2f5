import { en, same, texts } from '../say.ts'

export const overview = texts({
  title: en('Overview').zh('概览'),
  balance: en('Balance').zh('余额'),
  held: en('held for running requests').zh('因运行中的请求而冻结'),
  noneHeld: en('Nothing held').zh('无冻结金额'),
  today: en('Spent today').zh('今日消费'),
  month: en('Spent this month').zh('本月消费'),
  todayNote: en('Since 00:00 UTC').zh('自 UTC 0:00 起'),
  monthNote: en('Since the 1st, UTC').zh('自 1 日起（UTC）'),
  chart: en('Spend, last 14 days').zh('最近 14 天消费'),
  chartUnit: en('USD per day, UTC').zh('单位：USD/天（UTC）'),
  chartEmpty: en('Nothing spent in the last 14 days.').zh('最近 14 天没有消费。'),
  requests: en('Latest requests').zh('最近的请求'),
  allRequests: en('Show all').zh('查看全部'),
  empty: en('No requests yet').zh('还没有请求'),
  emptyText: en('Send a request with one of your keys, or try a model in the playground.').zh(
    '使用您的密钥发送请求，或在体验中心试用模型。',
  ),
  emptyAction: en('Open playground').zh('打开体验中心'),
  connect: {
    title: en('Connect a client').zh('接入客户端'),
    text: en('You have a key, but it has not been used yet.').zh('您已有密钥，但尚未使用过。'),
    action: en('Open Connect').zh('打开“接入”'),
    steps: en('Connect shows the setup of each client with the right base URL, and can send a test request.').zh(
      '“接入”页提供每种客户端的设置方法和正确的 Base URL，并可发送测试请求。',
    ),
  },
  firstRun: {
    title: en('Make your first request').zh('发送您的第一个请求'),
    text: en('Your first response in four steps.').zh('只需四步即可获得模型的回答。'),
    step: en((number: number, title: string) => `Step ${number}: ${title}`).zh(
      (number, title) => `第 ${number} 步：${title}`,
    ),
    done: en('Done').zh('已完成'),
    noFunds: en('You can create a key now. Its requests are rejected until you add credit in the wallet.').zh(
      '您现在可以创建密钥，但在钱包充值之前，请求会被拒绝。',
    ),
    create: {
      title: en('Create a key').zh('创建密钥'),
      text: en('Clients send it with every request. You can change its settings later.').zh(
        '客户端的每个请求都要携带密钥。设置之后可以更改。',
      ),
      name: en('Name').zh('名称'),
      defaultName: same('my-first-key'),
      submit: en('Create key').zh('创建密钥'),
      more: en('More options').zh('更多选项'),
      created: en((name: string) => `Created ${name}.`).zh((name) => `已创建 ${name}。`),
    },
    store: {
      title: en('Copy the key').zh('复制密钥'),
      text: en('The key is shown only once.').zh('密钥只显示这一次。'),
    },
    client: {
      title: en('Choose your client').zh('选择客户端'),
      text: en('The snippet includes the base URL and, until you leave this page, your key.').zh(
        '代码中已包含 Base URL；离开此页面之前还包含您的密钥。',
      ),
      model: en('Model').zh('模型'),
    },
    test: {
      title: en('Send a test request').zh('发送测试请求'),
      text: en((model: string) => `Asks ${model} for one sentence with your key. It is charged like any request.`).zh(
        (model) => `用您的密钥让 ${model} 回答一句话，与普通请求一样计费。`,
      ),
      submit: en('Send a test request').zh('发送测试请求'),
      again: en('Send again').zh('再次发送'),
      sent: en('The gateway responded.').zh('网关已响应。'),
      answer: en('Answer').zh('回答'),
      noText: en('The answer has no text.').zh('回答中没有文本。'),
      latency: en('Duration').zh('耗时'),
      cost: en('Cost').zh('费用'),
      counting: en('Calculating').zh('计费中'),
      tokens: en('Tokens in / out').zh('Token 输入 / 输出'),
      receipt: en('Open receipt').zh('查看收据'),
      failed: en((status: number, message: string) => `The gateway responded with ${status}: ${message}`).zh(
        (status, message) => `网关返回 ${status}：${message}`,
      ),
      noModel: en('No text model is available to this key. Ask the operator of this gateway.').zh(
        '此密钥没有可用的文本模型。请联系运营人员。',
      ),
      finish: en('Go to the overview').zh('前往概览'),
    },
  },
})
