package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.job.verify.CheckPage;
import dev.sluice.job.verify.DeviceLog;
import dev.sluice.job.verify.FindingTable;
import dev.sluice.job.verify.LogCheck;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.logs.LogVerifier;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice verify}: a device's own log against a policy. */
@Command(
        name = "verify",
        description = {
            "Checks a policy by the log of the device that runs it: each packet that a rule logged must reach that rule by the policy, and have the fate that the prefix tells. "
                    + "The log is lines of syslog that Linux's netfilter wrote (LOG of iptables, log of nft), or a capture of an nflog interface (NFLOG, log group).",
            "The rule of a packet is the one that logs with its prefix. Findings: not-reached, other-outcome, unknown-prefix (differences); depends; agrees. docs/guide/ask.md describes them.",
            "Exit status 1 if there is a difference, or no packet to compare.",
            ""
        })
final class VerifyCommand extends SluiceCommand {
    @Option(
            names = "--log",
            required = true,
            paramLabel = "LOG",
            description =
                    "The log: a text, gzip'd or not, or a pcap or pcapng file of link type NFLOG; - for a text on standard input.")
    private Path log = Path.of("");

    @Option(
            names = "--rules",
            required = true,
            paramLabel = "FILE",
            description = "The policy that the device is said to run, with all its hooks.")
    private Path rules = Path.of("");

    @Mixin private RuleFileOptions reading = new RuleFileOptions();
    @Mixin private PolicyArguments policy = new PolicyArguments();
    @Mixin private InterfacesOption interfaces = new InterfacesOption();

    @Option(names = "--all", description = "List packets that agree or depend, too.")
    private boolean all;

    @Option(
            names = "--top",
            paramLabel = "N",
            description = "List the first N findings (default: all); the others are counted.")
    @Range(from = 1)
    private @Nullable Long top;

    @Mixin private RowOptions form = new RowOptions();
    @Mixin private PageOption page = new PageOption();

    @Override
    public Integer call() {
        PolicyOptions options = policy.options();
        if (options.translates()) {
            throw new UsageException(
                    "verify judges packets as rules logged them, behind nat; leave out --nat");
        }
        page.requireUse(List.of(log, rules), null);
        try (PageOption asked = page.open()) {
            return check(options, asked) ? 0 : 1;
        }
    }

    /** Checks the log, and returns whether it agrees. */
    private boolean check(PolicyOptions options, PageOption asked) {
        PolicyFile.Listed listed = read(options);
        listed.warnings().forEach(err()::println);
        LogVerifier verifier = new LogVerifier(listed.asked(), options.assumed());
        if (verifier.logging().isEmpty()) {
            throw new SluiceException(
                    rules
                            + ": no rule of it logs; name the policy of the device that wrote the log, with LOG, NFLOG or log rules");
        }
        CapturedFacts facts =
                new CapturedFacts(
                        verifier.asked(),
                        interfaces.read(),
                        options.assumed().host(),
                        null,
                        ParserOptions.DEFAULTS);
        boolean standardInput = log.toString().equals("-");
        DeviceLog device = new DeviceLog(standardInput ? Path.of("/dev/stdin") : log, facts);
        LogCheck check = new LogCheck(log.toString(), device, verifier);
        check.ambiguous().forEach(one -> say(one));
        CheckPage found = new CheckPage(asked.isAsked() ? listed.asked() : List.of());
        RowsOut<FindingTable.Row> rows = form.open(FindingTable.FORM, LinesOut.all(out()));
        check.run(
                asked.isAsked() ? found.beside(rows) : rows,
                all,
                top == null ? Long.MAX_VALUE : top,
                found::count);
        boolean isUnnamed =
                !interfaces.isGiven()
                        && options.assumed().host() == null
                        && !verifier.asked().interfaces().isEmpty();
        if (isUnnamed && check.isCaptureThatDepends()) {
            say(
                    "a capture has numbers of interfaces, and rules have names: tell them by --interfaces, or --host");
        }
        check.report().forEach(one -> say(one));
        asked.write(() -> found.page("%s by %s".formatted(log, rules), check), err());
        return check.isClean();
    }

    private PolicyFile.Listed read(PolicyOptions options) {
        try (OpenRules text = reading.open(rules)) {
            if (!text.isPolicy()) {
                throw new SluiceException(
                        "%s: holds rules that stand for themselves (%s), none of which logs; name a policy of chains, such as the output of iptables-save or of nft list ruleset"
                                .formatted(text.file(), text.format().title()));
            }
            if (text.from().list() != null || options.hook() != null) {
                throw new UsageException(
                        "--rules %s: a log has packets of all hooks; leave out #HOOK and --hook"
                                .formatted(rules));
            }
            return PolicyFile.list(text, options, true);
        }
    }
}
