package dev.sluice.job.cli;

import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.explain.NamedPacket;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.explain.Explainer;
import dev.sluice.policy.explain.JudgedPacket;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** Options about the packets of captures, which rules judge. */
final class JudgedPackets {
    @Mixin private InPortOption inPort = new InPortOption();
    @Mixin final HeaderOptions headers = new HeaderOptions();
    @Mixin private CapturedPolicy policy = new CapturedPolicy();
    @Mixin private ConnectionOptions connections = new ConnectionOptions();

    /**
     * Rules of a file.
     *
     * @param asked what they ask captures for
     */
    record Rules(RuleSet set, AskedFacts asked) {}

    /** The options of a policy of packets that are in no capture. */
    PolicyOptions withoutCaptures() {
        if (policy.interfaces.isGiven()) {
            throw new UsageException(
                    "--interfaces: names the interfaces of captures; leave it out, or name captures");
        }
        requireNoReading("is of packets of captures; leave it out, or name captures");
        connections.requireNone();
        return policy.withoutCaptures();
    }

    /**
     * The options of a policy, whose connections are not tracked.
     *
     * @param topic whether its packets come from a packets topic
     * @throws UsageException if an option is of captures alone
     */
    PolicyOptions options(boolean topic) {
        if (!topic) {
            return policy.options();
        }
        connections.requireNone();
        requireNoReading("is of captures; the headers of a topic were read by who sent them");
        return policy.withoutCaptures()
                .ofMessages(
                        policy.interfaces.isGiven()
                                ? AskedFacts.listed(policy.interfaces.read().names())
                                : null);
    }

    private void requireNoReading(String why) {
        if (inPort.number != null || !headers.parsing().equals(ParserOptions.DEFAULTS)) {
            throw new UsageException(
                    "%s: %s"
                            .formatted(
                                    inPort.number != null ? "--in-port" : headers.changed(), why));
        }
    }

    /** Tells whether connections are tracked. */
    boolean tracks() {
        return connections.isOn();
    }

    /** The options of a policy whose verdicts are explained. */
    PolicyOptions ofExplained() {
        return connections.of(policy.options());
    }

    /** Reader of packets as users name them; warnings go to err. */
    NamedPacket named(RuleOptions rules, Explainer explainer, PrintWriter err) {
        PrintWriter quiet = new PrintWriter(Writer.nullWriter());
        return new NamedPacket(
                explainer,
                headers.parsing(),
                inPort.number,
                policy.facts(explainer.asked(), inPort, headers, err),
                connections.isOn()
                        ? () -> open(List.of(read(rules, rules.file(), quiet)), false, err).get(0)
                        : null);
    }

    /** Refuses a packet that says a state or an interface, where an option says another. */
    void requireOneFact(JudgedPacket packet) {
        Assumptions given = policy.options().assumed();
        requireOne("--in-interface", given.inInterface(), "in ", packet.in());
        requireOne("--out-interface", given.outInterface(), "out ", packet.out());
        ConnectionState assumed = given.state();
        ConnectionState state = packet.state();
        if (state != null && assumed != null) {
            requireOne("--assume", assumed.label(), "", state.label());
        }
    }

    private static void requireOne(
            String option, @Nullable String given, String word, String ofPacket) {
        if (!ofPacket.isEmpty() && given != null && !given.equals(ofPacket)) {
            throw new SluiceException(
                    "%s %s: the packet says %s%s; leave one of them out"
                            .formatted(option, given, word, ofPacket));
        }
    }

    /** Reads rules; warnings go to err. */
    Rules read(RuleSetOptions reading, Path from, PrintWriter err) {
        return read(reading, from, policy.options(), err);
    }

    /**
     * As {@link #read(RuleSetOptions, Path, PrintWriter)}.
     *
     * @param options those of {@link #options}
     */
    Rules read(RuleSetOptions reading, Path from, PolicyOptions options, PrintWriter err) {
        RuleFile file = reading.read(from, connections.of(options), err);
        return new Rules(reading.setOf(file, from, headers, err), file.asked());
    }

    /**
     * Opens a classifier by each of some rules; warnings go to err.
     *
     * @param rows whether connections are to have rows, so that they are tracked under any policy
     */
    List<CaptureHits> open(List<Rules> all, boolean rows, PrintWriter err) {
        policy.tell(all.stream().map(Rules::asked).reduce(AskedFacts.NONE, AskedFacts::and), err);
        return open(all, rows, false, err);
    }

    /** Opens a classifier of packets of a packets topic by each of some rules. */
    List<CaptureHits> ofTopic(List<Rules> all, PrintWriter err) {
        return open(all, false, true, err);
    }

    private List<CaptureHits> open(List<Rules> all, boolean rows, boolean topic, PrintWriter err) {
        List<CaptureHits> opened = new ArrayList<>();
        try {
            for (Rules rules : all) {
                RuleSet set = rules.set();
                opened.add(
                        new CaptureHits(
                                set,
                                headers.parsing(),
                                inPort.number,
                                topic ? null : policy.facts(rules.asked(), inPort, headers),
                                rows
                                        ? connections.ofRows(set.isPolicy())
                                        : connections.tracking(set.isPolicy(), set.rules())));
            }
        } catch (RuntimeException | Error e) {
            opened.forEach(CaptureHits::close);
            throw e;
        }
        boolean policies = all.stream().anyMatch(rules -> rules.set().isPolicy());
        if (connections.isOn()
                && !rows
                && policies
                && opened.stream().noneMatch(CaptureHits::tellsStates)) {
            ConnectionOptions.tellUnasked(err);
        }
        return opened;
    }
}
