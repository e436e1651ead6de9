/** Keys of what lies outside: Tencent IM per app, activity service, wallet, and their stand-ins. */
import type { FieldTable, FieldTree } from './field-tree.ts';
import { boolean, duration, integer, secret, text } from './fields.ts';
import { hostAndPort, httpUrl, wideName } from './patterns.ts';

const imApp = {
  sdk_app_id: integer({ about: 'SdkAppId of the app at Tencent.', min: 1, max: 4294967295 }),
  admin_identifier: text({
    about: 'Account in whose name groups are made and messages sent.',
    fallback: 'administrator',
    pattern: { expression: /^[A-Za-z0-9_-]{1,32}$/, words: '1 to 32 of A-Z a-z 0-9 _ -' },
  }),
  base_url: text({
    about: 'REST interface: https://console.tim.qq.com or its region’s.',
    pattern: httpUrl,
  }),
  secret_key: secret({ about: 'Key that signs UserSig.', minBytes: 16 }),
  ban_members: boolean({
    about:
      'Who is banned from a room is banned from its group too. Needs a plan of Tencent with bans of ' +
      'group members, and their switch in its console.',
    fallback: false,
  }),
} satisfies FieldTree;

const imApps: FieldTable<typeof imApp> = {
  kind: 'table',
  about: 'One entry per app_code.',
  keyPattern: wideName,
  entry: imApp,
};

const rtcApp = {
  callback_key: secret({
    about: 'Key that signs the callbacks of the app; without one they are not taken.',
    minBytes: 8,
  }),
  api_url: text({
    about: 'Server interface of Tencent RTC, or of its international site.',
    fallback: 'https://trtc.tencentcloudapi.com',
    pattern: httpUrl,
  }),
  region: text({
    about: 'Region that requests to it name.',
    fallback: 'ap-guangzhou',
    pattern: { expression: /^[a-z]{2}-[a-z0-9-]{1,32}$/, words: 'a region such as ap-guangzhou' },
  }),
  api_secret_id: secret({
    about: 'SecretId of an account that may remove users. Empty: nobody is put out of RTC.',
    minBytes: 8,
  }),
  api_secret_key: secret({ about: 'SecretKey of that account.', minBytes: 16 }),
} satisfies FieldTree;

const rtcApps: FieldTable<typeof rtcApp> = {
  kind: 'table',
  about: 'One entry per app_code; its SdkAppId stands in tencent_im.apps.',
  keyPattern: wideName,
  entry: rtcApp,
};

/** See the file header. */
export const outsideFields = {
  rtc: {
    callback_listen: text({
      about: 'Where gateways take callbacks of Tencent RTC (HTTP). Empty: nowhere.',
      fallback: '',
      pattern: hostAndPort,
    }),
    ticket_ttl: duration({
      about: 'How long a ticket that IssueRtcTicket gives is valid; whole seconds count.',
      fallback: '2m',
      min: '10s',
      max: '5m',
    }),
    removal_timeout: duration({
      about: 'Longest call of a cell that puts a user out at once; then the outbox goes on alone.',
      fallback: '1s',
      min: '50ms',
      max: '5s',
    }),
    calls_per_second: integer({
      about:
        'Removals of one app by all processes with the role adapter-im together. The vendor refuses ' +
        'above 20 calls, of which cells make some.',
      fallback: 15,
      min: 1,
      max: 10000,
    }),
    apps: rtcApps,
  },
  tencent_im: {
    calls_per_second: integer({
      about: 'Calls to the vendor of one app, of all its adapters together. It refuses above 200.',
      fallback: 150,
      min: 1,
      max: 10000,
    }),
    group_messages_per_second: integer({
      about: 'Messages to one group. The vendor drops what is above 40.',
      fallback: 30,
      min: 1,
      max: 40,
    }),
    adapters: integer({
      about: 'Processes with the role adapter-im; each takes its share of what an app may call.',
      fallback: 1,
      min: 1,
      max: 1000,
    }),
    apps: imApps,
  },
  activity: {
    addr: text({
      about: 'gRPC address of the activity service; adapter-activity needs it.',
      fallback: '',
      pattern: hostAndPort,
    }),
  },
  wallet: {
    addr: text({
      about: 'gRPC address of the wallet service; without one no gift can be sent.',
      fallback: '',
      pattern: hostAndPort,
    }),
    token: secret({ about: 'Bearer token for it. Empty: it asks for none.', minBytes: 16 }),
    timeout: duration({
      about: 'Longest wait for one answer of the wallet; at most a third of lease_ttl.',
      fallback: '2s',
      min: '50ms',
      max: '30s',
    }),
  },
  lucky_gift: {
    addr: text({
      about: 'gRPC address of the lucky gift service; without one lucky gifts are not enabled.',
      fallback: '',
      pattern: hostAndPort,
    }),
    token: secret({ about: 'Bearer token for it. Empty: it asks for none.', minBytes: 16 }),
    timeout: duration({
      about: 'Longest wait for one answer of it.',
      fallback: '1s',
      min: '50ms',
      max: '30s',
    }),
  },
  sandbox: {
    im_listen: text({
      about: 'Where the stand-in for Tencent IM listens (HTTP).',
      fallback: '127.0.0.1:7410',
      pattern: hostAndPort,
    }),
    rtc_listen: text({
      about: 'Where the stand-in for Tencent RTC listens (HTTP).',
      fallback: '127.0.0.1:7414',
      pattern: hostAndPort,
    }),
    activity_listen: text({
      about: 'Where the stand-in for the activity service listens (gRPC).',
      fallback: '127.0.0.1:7411',
      pattern: hostAndPort,
    }),
    wallet_listen: text({
      about: 'Where the stand-ins for the wallet and the lucky gift service listen (gRPC).',
      fallback: '127.0.0.1:7413',
      pattern: hostAndPort,
    }),
    wallet_opening_coins: integer({
      about: 'Coins of everybody whom the stand-in for the wallet sees for the first time.',
      fallback: 1000000,
      min: 0,
      max: 1000000000000000,
    }),
    control_listen: text({
      about: 'Where the sandbox shows what it received and takes orders (HTTP).',
      fallback: '127.0.0.1:7412',
      pattern: hostAndPort,
    }),
  },
} satisfies FieldTree;
