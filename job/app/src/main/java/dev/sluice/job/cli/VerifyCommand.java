package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.capture.CaptureEnd;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.job.table.LinesOut;
import dev.sluice.job.table.RowsOut;
import dev.sluice.job.verify.DeviceLog;
import dev.sluice.job.verify.FindingTable;
import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.logs.LogFinding;
import dev.sluice.policy.logs.LogFinding.Kind;
import dev.sluice.policy.logs.LogVerifier;
import dev.sluice.policy.logs.LoggedPacket;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.questions.PacketWords;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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
            paramLabel = "FILE[#HOOK]",
            description = "The policy that the device is said to run.")
    private Path rules = Path.of("");

    @Mixin private RuleFileOptions reading = new RuleFileOptions();
    @Mixin private PolicyArguments policy = new PolicyArguments();
    @Mixin private InterfacesOption interfaces = new InterfacesOption();

    @Option(names = "--all", description = "List packets that agree or depend, too.")
    private boolean all;

    @Mixin private RowOptions form = new RowOptions();

    @Override
    public Integer call() {
        PolicyOptions options = policy.options();
        if (options.translates()) {
            throw new UsageException(
                    "verify judges packets as rules logged them, behind nat; leave out --nat");
        }
        PolicyFile.Listed listed = read(options);
        listed.warnings().forEach(err()::println);
        LogVerifier verifier = new LogVerifier(listed.asked(), options.assumed());
        if (verifier.logging().isEmpty()) {
            throw new SluiceException(
                    rules
                            + ": no rule of it logs; name the policy of the device that wrote the log, with LOG, NFLOG or log rules");
        }
        verifier.logging()
                .forEach(
                        (prefix, of) -> {
                            if (of.size() > 1) {
                                say(ambiguous(prefix, of));
                            }
                        });
        CapturedFacts facts =
                new CapturedFacts(
                        verifier.asked(),
                        interfaces.read(),
                        options.assumed().host(),
                        null,
                        ParserOptions.DEFAULTS);
        boolean standardInput = log.toString().equals("-");
        DeviceLog device = new DeviceLog(standardInput ? Path.of("/dev/stdin") : log, facts);
        Map<Kind, Long> counts = new EnumMap<>(Kind.class);
        RowsOut<FindingTable.Row> rows = form.open(FindingTable.FORM, LinesOut.all(out()));
        device.read(
                (line, packet) -> {
                    LogFinding finding = verifier.verify(packet);
                    counts.merge(finding.kind(), 1L, Long::sum);
                    return !all && !finding.kind().isDifference()
                            || rows.row(
                                    new FindingTable.Row(line, finding, words(packet, verifier)));
                });
        rows.flush();
        boolean isUnnamed =
                !interfaces.isGiven()
                        && options.assumed().host() == null
                        && !verifier.asked().interfaces().isEmpty();
        return report(device, counts, isUnnamed) ? 0 : 1;
    }

    private PolicyFile.Listed read(PolicyOptions options) {
        try (OpenRules text = reading.open(rules)) {
            if (!text.isPolicy()) {
                throw new SluiceException(
                        "%s: holds rules that stand for themselves (%s), none of which logs; name a policy of chains, such as the output of iptables-save or of nft list ruleset"
                                .formatted(text.file(), text.format().title()));
            }
            return PolicyFile.list(text, options, true);
        }
    }

    private static String ambiguous(String prefix, List<PolicyRule> of) {
        return "the prefix '%s' is that of %s, lines %s: a packet agrees if it reaches one of them"
                .formatted(
                        prefix,
                        Amount.of(of.size(), "rule"),
                        of.stream()
                                .map(rule -> String.valueOf(rule.origin().line()))
                                .collect(Collectors.joining(", ")));
    }

    private static String words(LoggedPacket packet, LogVerifier verifier) {
        int[] header = packet.header().clone();
        Arrays.fill(header, HeaderWord.MAC_HIGH, HeaderWord.MAC_LOW + 1, 0); // it says little
        String words = PacketWords.of(header, verifier.asked());
        String in = packet.in();
        String out = packet.out();
        return words
                + (in == null || in.isEmpty() ? "" : " in " + in)
                + (out == null || out.isEmpty() ? "" : " out " + out);
    }

    private boolean report(DeviceLog device, Map<Kind, Long> counts, boolean isUnnamed) {
        device.unread()
                .forEach(
                        (reason, of) ->
                                say(
                                        "%s:%d: %s%s"
                                                .formatted(
                                                        log,
                                                        of.firstLine(),
                                                        reason,
                                                        of.packets() == 1
                                                                ? ""
                                                                : " (and %,d more)"
                                                                        .formatted(
                                                                                of.packets()
                                                                                        - 1))));
        CaptureEnd end = device.end();
        if (end != null && isUnnamed && counts.containsKey(Kind.DEPENDS)) {
            say(
                    "a capture has numbers of interfaces, and rules have names: tell them by --interfaces, or --host");
        }
        boolean clean = end == null || end.isClean();
        if (end != null && !clean) {
            say(end.describeClassified(log.toString()));
        }
        long judged = counts.values().stream().mapToLong(Long::longValue).sum();
        if (judged == 0) {
            say(
                    "%s: %s, no packet to compare; lines that netfilter logs have IN=, OUT=, SRC= and PROTO="
                            .formatted(log, Amount.of(device.lines(), "line")));
            return false;
        }
        say(
                "%s of %s: %s; %,d cannot be judged"
                        .formatted(
                                Amount.of(device.packets(), "logged packet"),
                                Amount.of(device.lines(), "line"),
                                counts.entrySet().stream()
                                        .map(
                                                one ->
                                                        "%,d %s"
                                                                .formatted(
                                                                        one.getValue(),
                                                                        one.getKey().label()))
                                        .collect(Collectors.joining(", ")),
                                device.packets() - judged));
        return clean && counts.keySet().stream().noneMatch(Kind::isDifference);
    }
}
