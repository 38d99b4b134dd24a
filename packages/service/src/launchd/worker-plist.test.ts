import { parse } from 'plist';
import { expect, it } from 'vitest';
import { workerPlist } from './worker-plist.ts';

const OPTIONS = {
  launcher: '/Users/Ann & <Zoë>/.macbatch/bin/macbatch-worker',
  crashLog: '/Users/Ann & <Zoë>/Library/Logs/macbatch/worker.crash.log',
  workingFolder: '/Users/Ann & <Zoë>/.macbatch',
  path: ['/opt/homebrew/bin', '/usr/bin'],
  userName: null,
};

it('writes the property list of an agent', () => {
  expect(workerPlist(OPTIONS)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>Label</key>
      <string>dev.macbatch.worker</string>
      <key>ProgramArguments</key>
      <array>
        <string>/Users/Ann &amp; &lt;Zoë&gt;/.macbatch/bin/macbatch-worker</string>
      </array>
      <key>LimitLoadToSessionType</key>
      <array>
        <string>Aqua</string>
        <string>Background</string>
      </array>
      <key>RunAtLoad</key>
      <true/>
      <key>KeepAlive</key>
      <dict>
        <key>SuccessfulExit</key>
        <false/>
      </dict>
      <key>ThrottleInterval</key>
      <integer>30</integer>
      <key>ProcessType</key>
      <string>Interactive</string>
      <key>ExitTimeOut</key>
      <integer>30</integer>
      <key>EnvironmentVariables</key>
      <dict>
        <key>PATH</key>
        <string>/opt/homebrew/bin:/usr/bin</string>
        <key>LANG</key>
        <string>en_US.UTF-8</string>
      </dict>
      <key>WorkingDirectory</key>
      <string>/Users/Ann &amp; &lt;Zoë&gt;/.macbatch</string>
      <key>Umask</key>
      <integer>63</integer>
      <key>StandardOutPath</key>
      <string>/Users/Ann &amp; &lt;Zoë&gt;/Library/Logs/macbatch/worker.crash.log</string>
      <key>StandardErrorPath</key>
      <string>/Users/Ann &amp; &lt;Zoë&gt;/Library/Logs/macbatch/worker.crash.log</string>
    </dict>
    </plist>
    "
  `);
});

it('writes a property list that a parser reads, with any path', () => {
  expect(parse(workerPlist(OPTIONS))).toMatchObject({
    ProgramArguments: [OPTIONS.launcher],
    KeepAlive: { SuccessfulExit: false },
    Umask: 63,
    StandardErrorPath: OPTIONS.crashLog,
    LimitLoadToSessionType: ['Aqua', 'Background'],
  });
});

it('gives a daemon its user and no session', () => {
  const daemon = parse(workerPlist({ ...OPTIONS, userName: 'ann' }));
  expect(daemon).toMatchObject({ UserName: 'ann' });
  expect(daemon).not.toHaveProperty('LimitLoadToSessionType');
});
