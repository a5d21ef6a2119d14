package dev.sluice.job.cli;

import dev.sluice.job.hits.CapturedFacts;
import dev.sluice.job.hits.InterfaceMap;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.AskedFacts;
import java.io.PrintWriter;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** Options about a policy that judges packets of captures, which tell interfaces and times. */
final class CapturedPolicy {
    @Mixin private PolicyArguments policy = new PolicyArguments();
    @Mixin final InterfacesOption interfaces = new InterfacesOption();

    private static final int MOST_NAMED = 5;

    /** Read once, since a file of the host may be a pipe. */
    private @Nullable PolicyOptions known;

    /** Read once for the same reason. */
    private @Nullable InterfaceMap read;

    /** The options, of packets without captures. */
    PolicyOptions withoutCaptures() {
        return policy.options();
    }

    /** The options, of packets of captures. */
    PolicyOptions options() {
        PolicyOptions options = known == null ? policy.ofCaptures() : known;
        known = options;
        return options;
    }

    /**
     * Reads what captures tell of their packets.
     *
     * @param asked what the rules ask for
     * @param err takes warnings
     * @return null if nothing is asked for
     */
    @Nullable CapturedFacts facts(
            AskedFacts asked, InPortOption inPort, HeaderOptions headers, PrintWriter err) {
        tell(asked, err);
        return facts(asked, inPort, headers);
    }

    /** Warns of names of interfaces that do nothing for rules that ask for these facts. */
    void tell(AskedFacts asked, PrintWriter err) {
        InterfaceMap named = named();
        if (interfaces.isGiven() && asked.interfaces().isEmpty()) {
            err.println("--interfaces does nothing: no rule asks for an interface");
        } else if (!named.names().stream().allMatch(asked::asksFor)) {
            err.println(
                    "--interfaces: no rule names "
                            + named.names().stream()
                                    .filter(name -> !asked.asksFor(name))
                                    .limit(MOST_NAMED)
                                    .collect(Collectors.joining(", ")));
        }
    }

    /**
     * As {@link #facts(AskedFacts, InPortOption, HeaderOptions, PrintWriter)}, without warnings.
     */
    @Nullable CapturedFacts facts(AskedFacts asked, InPortOption inPort, HeaderOptions headers) {
        return asked.isEmpty()
                ? null
                : new CapturedFacts(
                        asked,
                        named(),
                        options().assumed().host(),
                        inPort.number,
                        headers.parsing());
    }

    private InterfaceMap named() {
        InterfaceMap names = read == null ? interfaces.read() : read;
        read = names;
        return names;
    }
}
