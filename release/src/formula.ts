export interface FormulaFacts {
  readonly description: string;
  /** Page of the repository, such as https://git.example.org/owner/macbatch. */
  readonly homepage: string;
  /** Where Homebrew downloads the tarball of the package `macbatch`. */
  readonly url: string;
  /** SHA-256 of the tarball, in hexadecimal digits. */
  readonly sha256: string;
  readonly license: string;
  /** The version of Node that the program runs with. */
  readonly nodeMajor: number;
}

/**
 * Returns the Homebrew formula of a release. The programs run with the Node of the formula, whatever Node is first in
 * the PATH of the user.
 */
export function formulaText(facts: FormulaFacts): string {
  if (!/^[0-9a-f]{64}$/.test(facts.sha256)) throw new Error('the SHA-256 must be 64 hexadecimal digits');
  const node = `node@${facts.nodeMajor}`;
  return `class Macbatch < Formula
  desc ${rubyText(facts.description)}
  homepage ${rubyText(facts.homepage)}
  url ${rubyText(facts.url)}
  sha256 ${rubyText(facts.sha256)}
  license ${rubyText(facts.license)}

  depends_on ${rubyText(node)}

  def install
    system "npm", "install", *std_npm_args
    (libexec/"bin").children.each do |program|
      (bin/program.basename).write_env_script program, PATH: "#{Formula[${rubyText(node)}].opt_bin}:$PATH"
    end
  end

  service do
    run [opt_bin/"macbatch", "worker"]
    keep_alive successful_exit: false
    log_path var/"log/macbatch.log"
    error_log_path var/"log/macbatch.log"
  end

  test do
    assert_match "Usage: macbatch", shell_output("#{bin}/macbatch --help")
  end
end
`;
}

/** Writes a text as a Ruby string. Only single quotes: double quotes would interpret \`#{}\`. */
function rubyText(text: string): string {
  return /^[\w .,:/@+-]*$/.test(text) ? `"${text}"` : `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
