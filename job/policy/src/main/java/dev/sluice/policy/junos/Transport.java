package dev.sluice.policy.junos;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;
import static dev.sluice.policy.model.Condition.not;

import dev.sluice.policy.NetworkNames;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on the bytes behind the IP header. A filter compares the bytes at the place of a field
 * and asks neither for the protocol nor whether the packet is a later fragment (Juniper, "Overview
 * of Protocol Match Conditions"): of a packet that has other bytes there, the answer is unknown.
 */
final class Transport {
    private static final int TCP = 6;

    private final Config config;
    private final boolean v6;

    /** The protocols that the term asks for; null: any. */
    private final @Nullable ValueSet asked;

    Transport(Config config, boolean v6, @Nullable ValueSet asked) {
        this.config = config;
        this.v6 = v6;
        this.asked = asked;
    }

    /** Ports of a set, or with {@code -except} no others. */
    Condition ports(Statement at, String keyword, ValueSet ports, boolean except) {
        ValueSet values = except ? ports.complement(16) : ports;
        Condition source = new Condition.In(Field.SRC_PORT, values);
        Condition destination = new Condition.In(Field.DST_PORT, values);
        Condition match =
                switch (keyword) {
                    case "source-port" -> source;
                    case "destination-port" -> destination;
                    default -> except ? all(source, destination) : any(source, destination);
                };
        List<ValueSet.Range> numbers = new ArrayList<>();
        NetworkNames.WITH_PORTS.forEach(one -> numbers.addAll(ValueSet.of(one).ranges()));
        return of(at, new ValueSet(numbers), match, "ports", "protocol tcp or udp");
    }

    /** A type or code of ICMP. */
    Condition icmp(Statement at, boolean type, ValueSet values, boolean except) {
        Field field = type ? Field.SRC_PORT : Field.DST_PORT;
        Condition match = new Condition.In(field, except ? values.complement(8) : values);
        int number = v6 ? 58 : 1;
        return of(
                at, ValueSet.of(number), match, "ICMP", v6 ? "next-header icmp6" : "protocol icmp");
    }

    /** Flags of TCP. */
    Condition flags(Statement at, Condition match) {
        return of(at, ValueSet.of(TCP), match, "TCP flags", "protocol tcp");
    }

    private Condition of(
            Statement at, ValueSet protocols, Condition match, String what, String remedy) {
        boolean within =
                asked != null && !asked.ranges().isEmpty() && asked.or(protocols).equals(protocols);
        Condition present = is(Field.PORTS_PRESENT, 1);
        Condition absent = is(Field.PORTS_PRESENT, 0);
        if (!within) {
            config.warn(
                    at.line,
                    "%s: asks for no protocol, so packets of others depend on their bytes at that place; add %s"
                            .formatted(at.text(), remedy));
            Condition ofProtocol = new Condition.In(Field.IP_PROTO, protocols);
            present = all(ofProtocol, present);
            absent = any(not(ofProtocol), absent);
        }
        return any(
                all(present, match),
                all(absent, new Condition.Unknown("the bytes at the place of " + what)));
    }
}
