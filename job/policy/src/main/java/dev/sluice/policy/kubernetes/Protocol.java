package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.schemas.header.Field;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Protocols that policies of Kubernetes define. */
enum Protocol {
    TCP(6),
    UDP(17),
    SCTP(132);

    /** Most number of a port. */
    static final int MOST_PORT = 0xffff;

    private static final ValueSet ALL_PORTS = ValueSet.of(0, MOST_PORT);

    private final int number;

    Protocol(int number) {
        this.number = number;
    }

    /** The protocol of a word; TCP where there is none. */
    static Protocol of(@Nullable YamlNode node) throws YamlException {
        if (node == null) {
            return TCP;
        }
        for (Protocol each : values()) {
            if (each.name().equals(node.string())) {
                return each;
            }
        }
        throw node.at().refused(node.string(), "is no protocol; write TCP, UDP or SCTP");
    }

    /** The protocol of a number of IP; null: it is none of these. */
    static @Nullable Protocol numbered(int number) {
        for (Protocol each : values()) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }

    /** The packets of the protocol. */
    Condition condition() {
        return is(Field.IP_PROTO, number);
    }

    /** The packets of the protocol to some ports. */
    Condition to(ValueSet ports) {
        return ports.equals(ALL_PORTS)
                ? condition()
                : Condition.all(condition(), new Condition.In(Field.DST_PORT, ports));
    }

    /** The packets of no protocol of these. */
    static Condition others() {
        ValueSet named = new ValueSet(List.of());
        for (Protocol each : values()) {
            named = named.or(ValueSet.of(each.number));
        }
        return new Condition.In(Field.IP_PROTO, named.complement(Field.IP_PROTO.bits()));
    }
}
