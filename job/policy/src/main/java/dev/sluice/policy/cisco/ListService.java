package dev.sluice.policy.cisco;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import org.jspecify.annotations.Nullable;

/**
 * Packets by their protocol and transport header.
 *
 * @param transport condition on the transport header; null: the protocol alone counts
 */
record ListService(Condition protocol, @Nullable Condition transport) {
    static final Condition LATER = new Condition.Bits(Field.FRAGMENT, 2, 2);
    static final ListService ANY = new ListService(Condition.ALWAYS, null);

    private static final Condition PRESENT = Condition.is(Field.PORTS_PRESENT, 1);

    static ListService of(int protocol) {
        return new ListService(Condition.is(Field.IP_PROTO, protocol), null);
    }

    /** The service of those packets that also meet a condition on their transport header. */
    ListService and(Condition more) {
        return new ListService(protocol, transport == null ? more : Condition.all(transport, more));
    }

    /** A condition on a source or destination port. */
    static Condition port(boolean source, ValueSet ports) {
        return new Condition.In(source ? Field.SRC_PORT : Field.DST_PORT, ports);
    }

    /** A condition on TCP flags, which a later fragment lacks. */
    static Condition flags(int value, int mask) {
        return Condition.all(PRESENT, new Condition.Bits(Field.TCP_FLAGS, value, mask));
    }

    /**
     * The condition of an entry. A later fragment has no transport header: on Cisco's routers and
     * switches an entry that permits takes it by protocol and addresses, and one that denies never
     * does; an ASA puts datagrams together; Arista does not document it.
     */
    Condition of(boolean permit, CiscoDialect dialect) {
        if (transport == null) {
            return protocol;
        }
        Condition met = transport;
        if (dialect == CiscoDialect.EOS) {
            met =
                    Condition.any(
                            met,
                            Condition.all(
                                    LATER,
                                    new Condition.Unknown(
                                            "later fragments at an entry of EOS with ports")));
        } else if (dialect != CiscoDialect.ASA && permit) {
            met = Condition.any(met, LATER);
        }
        return Condition.all(protocol, met);
    }
}
