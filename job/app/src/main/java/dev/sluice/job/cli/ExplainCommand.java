package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.explain.ExplanationJson;
import dev.sluice.job.explain.ExplanationText;
import dev.sluice.job.explain.NamedPacket;
import dev.sluice.policy.explain.Explainer;
import dev.sluice.policy.explain.Explanation;
import dev.sluice.policy.explain.JudgedPacket;
import dev.sluice.policy.explain.WhyNot;
import dev.sluice.policy.explain.WhyNotSearch;
import dev.sluice.policy.io.Amount;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.questions.LintRule;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.LineNumberReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice explain}: why a packet has its verdict. */
@Command(
        name = "explain",
        description = {
            "Explains the verdict on a packet: the rule that decides, the way through chains and stages, and of the rules before it "
                    + "those that one field alone kept from the packet.",
            "PACKET is in words, as in 'tcp 10.0.0.1:1234 > 10.1.0.2:443 in eth0 syn', in quotes since a shell reads > as its own (docs/guide/ask.md has all words; "
                    + "rules lint prints packets so); in hexadecimal digits, an Ethernet frame or an IP packet; or CAPTURE#N, the packet of that number in a capture.",
            "The verdict is the one that classify gives, with --conntrack too, where the packets before CAPTURE#N tell the states of connections. Exit status 1 if a packet cannot be judged.",
            ""
        })
final class ExplainCommand extends SluiceCommand implements Interruptible {
    @Parameters(arity = "0..*", paramLabel = "PACKET", description = "Packets, each in quotes.")
    private List<String> words = new ArrayList<>();

    @Mixin private RuleOptions rules = new RuleOptions();
    @Mixin private JudgedPackets packets = new JudgedPackets();

    @Option(
            names = "--why-not",
            paramLabel = "LINE",
            converter = LineNumber.class,
            description =
                    "Tell what would have to change in the packet for the rule on this line, or the default action (default), to act on it, or that no packet reaches it.")
    private @Nullable Integer whyNot;

    @Option(
            names = {"-i", "--interactive"},
            description =
                    "Read packets from standard input, a line each, and explain each at once.")
    private boolean interactive;

    @Option(names = "--all", description = "List each rule that the packet misses.")
    private boolean all;

    @Option(
            names = "--json",
            description = "Print a JSON object a packet; docs/json.md lists its members.")
    private boolean json;

    /** Packets that were explained so far; another thread reads it. */
    private final AtomicLong explained = new AtomicLong();

    @Override
    public Integer call() throws IOException {
        if (interactive != words.isEmpty()) {
            throw new UsageException(
                    interactive
                            ? "-i reads packets from standard input; leave out -i, or the packet"
                            : "PACKET is missing; write one, as in 'tcp 10.0.0.1:1234 > 10.1.0.2:443', name CAPTURE#N, or add -i");
        }
        if (whyNot != null && packets.tracks()) {
            throw new UsageException(
                    "--why-not: tells of other packets than that of the capture, whose states nobody tracks; leave out --conntrack, or --why-not");
        }
        Explainer explainer = rules.explainer(packets.ofExplained(), err());
        NamedPacket named = packets.named(rules, explainer, err());
        if (interactive) {
            return readLines(explainer, named) ? 0 : 1;
        }
        for (String packet : NamedPacket.split(words)) {
            print(explainer, named.read(packet));
        }
        return 0;
    }

    /** Explains a packet a line; whether each could be judged. */
    private boolean readLines(Explainer explainer, NamedPacket named) throws IOException {
        boolean right = true;
        LineNumberReader in =
                new LineNumberReader(
                        new InputStreamReader(
                                new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
        if (Console.isTerminal()) {
            say("type a packet and Enter, as in tcp 10.0.0.1:1234 > 10.1.0.2:443; Ctrl-D ends");
        }
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.isBlank()) {
                continue;
            }
            try {
                print(explainer, named.read(line));
                explained.incrementAndGet();
            } catch (SluiceException e) {
                say("standard input:%d: %s".formatted(in.getLineNumber(), e.getMessage()));
                right = false;
            }
            if (out().checkError()) {
                return right; // nobody reads our output any more
            }
        }
        return right || Console.isTerminal();
    }

    private void print(Explainer explainer, JudgedPacket packet) {
        packets.requireOneFact(packet);
        Explanation why = explainer.explain(packet);
        WhyNot answer =
                whyNot == null ? null : WhyNotSearch.of(explainer, packet, whyNot, this::lint);
        if (json) {
            JsonOption.print(out(), ExplanationJson.of(why, answer));
            return;
        }
        List<String> lines = ExplanationText.of(why, all);
        (answer == null ? lines : lines.subList(0, 2)).forEach(out()::println);
        if (answer != null) {
            ExplanationText.of(answer).forEach(out()::println);
        }
    }

    @Override
    public @Nullable String whereItStands() {
        return interactive ? "explained " + Amount.of(explained.get(), "packet") : null;
    }

    private List<LintRule> lint() {
        return rules.lint(packets.options(false));
    }
}
