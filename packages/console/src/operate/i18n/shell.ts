// The frame of the operators' place.

import { en, type Said, texts } from '../../i18n/say.ts'

export const shell = texts({
  groups: {
    start: en('Start').zh('开始'),
    traffic: en('Traffic').zh('流量'),
    customers: en('Customers').zh('客户'),
    catalogue: en('Catalogue').zh('目录'),
    money: en('Money').zh('资金'),
    gateway: en('Gateway').zh('网关'),
  },
  roles: {
    owner: en('owner').zh('所有者'),
    admin: en('admin').zh('管理员'),
    finance: en('finance').zh('财务'),
    support: en('support').zh('客服'),
    viewer: en('viewer').zh('只读'),
  },
  role: en('Your role').zh('您的角色'),
  needs: en((roles: readonly string[]) => `Needs ${roles.join(' or ')}`).zh((roles) => `需要${roles.join('或')}角色`),
  openAlerts: en((count: number) =>
    count === 0 ? 'No open alerts' : count === 1 ? '1 open alert' : `${count} open alerts`,
  ).zh((count) => (count === 0 ? '暂无告警' : `${count} 条未恢复的告警`)),
  search: {
    title: en('Search').zh('搜索'),
    open: en('Search (Ctrl K)').zh('搜索（Ctrl K）'),
    label: en('Email, account, last four characters of a key, request ID, model, upstream or code').zh(
      '邮箱、账户、密钥末四位、请求 ID、模型、上游或兑换码',
    ),
    hint: en(
      'Paste anything that identifies an account, key, request, model, upstream or code, or type what to do, such as "new group" or "add credit to ada".',
    ).zh('粘贴账户、密钥、请求、模型、上游或兑换码的任何标识，或输入要做的事，例如“添加分组”或“为 ada 充值”。'),
    shortcuts: en('Keyboard shortcuts').zh('键盘快捷键'),
    keys: {
      'Ctrl K': en('Search everything').zh('搜索全部内容'),
      '/': en('Go to the search field of a list').zh('定位到列表的搜索框'),
      'g a': en('My account').zh('我的账户'),
      'g o': en('Operate').zh('运营'),
      Esc: en('Close what is open').zh('关闭当前窗口'),
    },
    none: en('Nothing found.').zh('没有结果。'),
    acts: {
      account: en('Create an account').zh('创建账户'),
      group: en('Add a group').zh('添加分组'),
      model: en('Add a model').zh('添加模型'),
      upstream: en('Add an upstream').zh('添加上游'),
      codes: en('Create codes').zh('创建兑换码'),
      invitation: en('Invite a colleague').zh('邀请同事'),
    },
    /** They mean the same. */
    verbs: en('new create add').zh('新建创建添加'),
    credit: en((name: string) => `Add credit to ${name}`).zh((name) => `为 ${name} 充值`),
    credited: en(/^(?:add )?credit (?:to )?(\S.*)$/i).zh(/^(?:[为给]\s*)?(\S.*?)\s*充值$/),
    kinds: {
      act: en('Act').zh('操作'),
      page: en('Page').zh('页面'),
      account: en('Account').zh('账户'),
      person: en('Person').zh('人员'),
      key: en('Key').zh('密钥'),
      request: en('Request').zh('请求'),
      model: en('Model').zh('模型'),
      upstream: en('Upstream').zh('上游'),
      group: en('Group').zh('分组'),
      code: en('Code').zh('兑换码'),
    } as Record<string, Said<string>>,
  },
  filters: {
    add: en('Filter').zh('筛选'),
    clear: en('Clear all').zh('全部清除'),
    remove: en((name: string) => `Remove the filter ${name}`).zh((name) => `移除筛选条件：${name}`),
    any: en('Any').zh('不限'),
  },
  /** A page looks at a bounded number of rows. */
  nothingSoFar: en('Nothing found so far. Continue on the next page.').zh('目前还没有结果，请继续查看下一页。'),
  live: en('Live').zh('实时'),
  paused: en('Paused').zh('已暂停'),
})
