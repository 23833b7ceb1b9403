import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A received request, and the secret to verify it with. */
export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string;
}

/** A programming language for which the documentation has a verification function, and how to run a program in it. */
export interface Language {
  readonly name: string;
  /** The language name after the fence of the code block. */
  readonly fence: string;
  readonly file: string;
  readonly command: readonly string[];
  /** The program that must be installed, if it is not the first word of the command. */
  readonly needs?: string;
  /**
   * A complete program around the function: reads tab-separated lines from its input, writes `true` or `false` for
   * each.
   */
  readonly program: (code: string) => string;
}

/** Columns of the input: key, id, timestamp, signatures, body, secret; key, body and secret in base64. */
export const LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    fence: 'python',
    file: 'verify.py',
    command: ['python3', 'verify.py'],
    program: (code) => `import sys
${code}
for line in sys.stdin:
    _, id, timestamp, signatures, body, secret = line.rstrip("\\n").split("\\t")
    headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures}
    print(str(verify(base64.b64decode(secret).decode(), headers, base64.b64decode(body))).lower())
`,
  },
  {
    name: 'Go',
    fence: 'go',
    file: 'verify.go',
    command: ['go', 'run', 'verify.go'],
    program: (code) => `package main
import ("bufio"; "crypto/hmac"; "crypto/sha256"; "encoding/base64"; "fmt"; "math"; "net/http"; "os"; "strconv"; "strings"; "time")
${code}
func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\\t")
		key, _ := base64.StdEncoding.DecodeString(f[0])
		body, _ := base64.StdEncoding.DecodeString(f[4])
		h := http.Header{}
		h.Set("webhook-id", f[1])
		h.Set("webhook-timestamp", f[2])
		h.Set("webhook-signature", f[3])
		fmt.Println(verify(key, h, body))
	}
}
`,
  },
  {
    name: 'Java',
    fence: 'java',
    file: 'Verify.java',
    command: ['java', 'Verify.java'],
    program: (code) => `import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
class Verify {
${code}
    public static void main(String[] arguments) throws Exception {
        var decoder = Base64.getDecoder();
        for (var lines = new Scanner(System.in); lines.hasNextLine(); ) {
            var f = lines.nextLine().split("\\t", -1);
            System.out.println(verify(decoder.decode(f[0]), f[1], f[2], f[3], decoder.decode(f[4])));
        }
    }
}
`,
  },
  {
    name: 'C#',
    fence: 'csharp',
    file: 'verify.cs',
    command: ['sh', '-c', 'mcs -r:System.Core.dll verify.cs && mono verify.exe'],
    needs: 'mcs',
    program: (code) => `using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
static class Program
{
${code}
    static void Main()
    {
        for (string line; (line = Console.ReadLine()) != null; )
        {
            var f = line.Split('\t');
            var isGenuine = Verify(Convert.FromBase64String(f[0]), f[1], f[2], f[3], Convert.FromBase64String(f[4]));
            Console.WriteLine(isGenuine ? "true" : "false");
        }
    }
}
`,
  },
  {
    name: 'PHP',
    fence: 'php',
    file: 'verify.php',
    command: ['php', 'verify.php'],
    program: (code) => `<?php
${code}
while (($line = fgets(STDIN)) !== false) {
    [$key, $id, $timestamp, $signatures, $body] = explode("\\t", rtrim($line, "\\n"));
    $headers = ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signatures];
    echo verify(base64_decode($key), $headers, base64_decode($body)) ? "true\\n" : "false\\n";
}
`,
  },
  {
    name: 'Ruby',
    fence: 'ruby',
    file: 'verify.rb',
    command: ['ruby', 'verify.rb'],
    program: (code) => `${code}
STDIN.each_line(chomp: true) do |line|
  key, id, timestamp, signatures, body = line.split("\\t", -1)
  headers = { "webhook-id" => id, "webhook-timestamp" => timestamp, "webhook-signature" => signatures }
  puts verify(key.unpack1("m0"), headers, body.unpack1("m0"))
end
`,
  },
];

/** Whether the language's program is installed. */
export const isInstalled = ({ command: [first = ''], needs = first }: Language): boolean =>
  spawnSync('sh', ['-c', `command -v ${needs}`]).status === 0;

/** The result of the documented function for each request. @param folder an empty folder for the program */
export function verdicts(language: Language, folder: string, requests: readonly Signed[]): boolean[] {
  writeFileSync(join(folder, language.file), language.program(snippet(language.fence)));
  const [program = '', ...parameters] = language.command;
  const input = requests.map((request) => `${columns(request).join('\t')}\n`).join('');
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    cwd: folder,
    input,
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`${language.name} ended with ${status}: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line === 'true');
}

function columns({ headers, body, secret }: Signed): (string | undefined)[] {
  const key = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : Buffer.from(secret).toString('base64');
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  return [key, id, timestamp, signatures, Buffer.from(body).toString('base64'), Buffer.from(secret).toString('base64')];
}

/** The first code block of a language in the guide to webhooks. */
function snippet(fence: string): string {
  const page = readFileSync('docs/webhooks-reference.md', 'utf8');
  const [, code] = new RegExp(`^\`\`\`${fence}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  if (code === undefined) throw new Error(`docs/webhooks-reference.md has no code in ${fence}`);
  return code;
}
