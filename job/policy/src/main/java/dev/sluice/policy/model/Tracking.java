package dev.sluice.policy.model;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Connection states as Linux's nf_conntrack gives them, under an assumption about the connection.
 *
 * <p>The state of an assumed connection still depends on the packet: a first packet with SYN and
 * ACK is INVALID, neighbour discovery is always UNTRACKED. Tracking reassembles fragments before
 * any rule sees them, so the state of a later fragment alone is unknown. Every other packet has one
 * state.
 */
public final class Tracking {
    private static final int TCP = 6;
    private static final int SCTP = 132;
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;

    static final Condition LATER_FRAGMENT = new Condition.Bits(Field.FRAGMENT, 2, 2);
    private static final Condition NO_LATER_FRAGMENT = new Condition.Bits(Field.FRAGMENT, 0, 2);

    /** SYN or ACK alone among FIN, SYN, RST, ACK: nf_conntrack picks a connection up by either. */
    private static final Condition TCP_FIRST = any(flags(0x02, 0x17), flags(0x10, 0x17));

    /** The rest of {@link #TCP_FIRST}. */
    private static final Condition TCP_NOT_FIRST =
            any(flags(0x04, 0x04), flags(0x01, 0x01), flags(0x12, 0x12), flags(0, 0x12));

    /** The combinations of FIN, SYN, RST, ACK and URG that nf_conntrack calls valid. */
    private static final Condition TCP_VALID =
            any(
                    flags(0x02, 0x17),
                    flags(0x12, 0x37),
                    flags(0x04, 0x27),
                    flags(0x11, 0x17),
                    flags(0x10, 0x17));

    /** The rest of {@link #TCP_VALID}. */
    private static final Condition TCP_INVALID =
            any(
                    flags(0x06, 0x06),
                    flags(0x03, 0x03),
                    flags(0x05, 0x05),
                    flags(0x24, 0x24),
                    flags(0x01, 0x11),
                    flags(0, 0x16),
                    flags(0x32, 0x32));

    private static final Condition UNTOLD =
            all(
                    is(Field.CONNECTION_PRESENT, 0),
                    new Condition.Unknown("a connection that nobody tracked"));

    /** Packets of a connection: tracked, and not invalid. */
    public static final Condition CONNECTED = new Condition.Bits(Field.CONNECTION_STATE, 32, 48);

    /** Packets of who answers, or errors about a packet of who began. */
    public static final Condition REPLY =
            new Condition.Bits(Field.CONNECTION_STATE, 8 | 32, 8 | 48);

    /** Packets of who began, or errors about a packet of who answers. */
    public static final Condition ORIGINAL = new Condition.Bits(Field.CONNECTION_STATE, 32, 8 | 48);

    private static final ValueSet ICMP_REQUESTS = values(8, 13, 15, 17);
    private static final ValueSet ICMP_ERRORS = values(3, 4, 5, 11, 12);
    private static final ValueSet ICMP_ANSWERS = values(0, 8, 13, 14, 15, 16, 17, 18);
    private static final ValueSet ICMP6_REQUESTS = values(128, 139);
    private static final ValueSet ICMP6_ANSWERS = values(128, 129, 139, 140);
    private static final ValueSet ICMP6_ERRORS = ValueSet.of(0, 127);
    private static final ValueSet ICMP6_UNTRACKED =
            ValueSet.of(130, 136).or(ValueSet.of(143)).or(ValueSet.of(151, 152));

    private Tracking() {}

    /**
     * Returns whether a condition asks for the state of a packet's connection.
     *
     * @param tracked whether connections are tracked, which tells more than the state
     */
    public static boolean isAsked(Condition condition, boolean tracked) {
        return Condition.has(
                condition,
                one ->
                        one instanceof Condition.InState
                                || tracked && one instanceof Condition.Tracked);
    }

    /**
     * The condition on a header that stands for a condition on the state.
     *
     * @param assumed as {@link Assumptions#state}
     */
    public static Condition condition(Condition.InState asked, ConnectionState assumed) {
        if (assumed == ConnectionState.UNTRACKED) {
            return asked.states().contains(assumed) ? Condition.ALWAYS : Condition.NEVER;
        }
        boolean first = assumed == ConnectionState.NEW;
        List<Condition> some = new ArrayList<>();
        for (ConnectionState state : asked.states()) {
            Condition packets = first ? first(state) : established(state);
            if (!packets.equals(Condition.NEVER)) {
                some.add(packets);
            }
        }
        some.add(all(LATER_FRAGMENT, new Condition.Unknown("the state of a later fragment")));
        return new Condition.Any(some);
    }

    /** The condition on a header that states the state; unknown of a header that does not. */
    public static Condition told(Condition.InState asked) {
        List<Condition> some = new ArrayList<>();
        asked.states().stream().sorted().forEach(state -> some.add(told(state)));
        some.add(UNTOLD);
        return new Condition.Any(some);
    }

    /** The same for a condition on more than the state. */
    public static Condition told(Condition.Tracked asked, boolean negated) {
        Condition bits = negated ? Condition.not(asked.bits()) : asked.bits();
        return any(all(is(Field.CONNECTION_PRESENT, 1), bits), UNTOLD);
    }

    /**
     * The condition on a packet without a connection that stands for one on more than the state.
     */
    public static Condition untracked(Condition asked) {
        return Condition.map(
                asked,
                one ->
                        one instanceof Condition.Tracked told
                                ? untracked(told.bits())
                                : Condition.holds(one, BigInteger.ZERO)
                                        ? Condition.ALWAYS
                                        : Condition.NEVER);
    }

    private static Condition told(ConnectionState state) {
        return switch (state) {
            case NEW -> new Condition.Bits(Field.CONNECTION_STATE, 1, 1);
            case ESTABLISHED -> new Condition.Bits(Field.CONNECTION_STATE, 2, 2);
            case RELATED -> new Condition.Bits(Field.CONNECTION_STATE, 4, 4);
            case INVALID -> new Condition.Bits(Field.CONNECTION_STATE, 16, 16);
            case UNTRACKED -> new Condition.Bits(Field.CONNECTION_STATE, 0, 32);
        };
    }

    private static Condition first(ConnectionState state) {
        return switch (state) {
            case NEW ->
                    any(
                            tcp(TCP_FIRST),
                            icmp(ICMP_REQUESTS),
                            icmp6(ICMP6_REQUESTS),
                            sctp(),
                            otherProtocols());
            case INVALID ->
                    any(
                            cut(),
                            sctp(),
                            tcp(TCP_NOT_FIRST),
                            icmp(ICMP_REQUESTS.complement(Field.SRC_PORT.bits())),
                            icmp6(
                                    ICMP6_REQUESTS
                                            .or(ICMP6_UNTRACKED)
                                            .complement(Field.SRC_PORT.bits())));
            case UNTRACKED -> icmp6(ICMP6_UNTRACKED);
            case ESTABLISHED, RELATED -> Condition.NEVER;
        };
    }

    private static Condition established(ConnectionState state) {
        return switch (state) {
            case ESTABLISHED ->
                    any(
                            tcp(TCP_VALID),
                            icmp(ICMP_ANSWERS),
                            icmp6(ICMP6_ANSWERS),
                            all(NO_LATER_FRAGMENT, is(Field.IP_PROTO, SCTP)),
                            otherProtocols());
            case RELATED -> any(icmp(ICMP_ERRORS), icmp6(ICMP6_ERRORS));
            case INVALID ->
                    any(
                            cut(),
                            tcp(TCP_INVALID),
                            icmp(ICMP_ANSWERS.or(ICMP_ERRORS).complement(Field.SRC_PORT.bits())),
                            icmp6(
                                    ICMP6_ANSWERS
                                            .or(ICMP6_ERRORS)
                                            .or(ICMP6_UNTRACKED)
                                            .complement(Field.SRC_PORT.bits())));
            case UNTRACKED -> icmp6(ICMP6_UNTRACKED);
            case NEW -> Condition.NEVER;
        };
    }

    private static Condition tcp(Condition flags) {
        return all(is(Field.IP_PROTO, TCP), is(Field.PORTS_PRESENT, 1), flags);
    }

    /** Packets that are too short for their TCP or ICMP header. */
    private static Condition cut() {
        Condition icmp =
                any(
                        all(is(Field.IP_PROTO, ICMP), is(Field.IP_VERSION, Field.VERSION_4)),
                        all(is(Field.IP_PROTO, ICMP6), is(Field.IP_VERSION, Field.VERSION_6)));
        return all(
                NO_LATER_FRAGMENT, is(Field.PORTS_PRESENT, 0), any(is(Field.IP_PROTO, TCP), icmp));
    }

    private static Condition icmp(ValueSet types) {
        return all(
                is(Field.IP_VERSION, Field.VERSION_4),
                is(Field.IP_PROTO, ICMP),
                new Condition.In(Field.SRC_PORT, types));
    }

    private static Condition icmp6(ValueSet types) {
        return all(
                is(Field.IP_VERSION, Field.VERSION_6),
                is(Field.IP_PROTO, ICMP6),
                new Condition.In(Field.SRC_PORT, types));
    }

    /** Packets of SCTP, whose chunks tell which state they are in. */
    private static Condition sctp() {
        return all(
                NO_LATER_FRAGMENT,
                is(Field.IP_PROTO, SCTP),
                new Condition.Unknown("the chunks of an SCTP packet"));
    }

    /** Packets of protocols that any first packet opens a connection of. */
    private static Condition otherProtocols() {
        ValueSet named = values(TCP, ICMP, ICMP6, SCTP);
        Condition others =
                any(
                        new Condition.In(Field.IP_PROTO, named.complement(Field.IP_PROTO.bits())),
                        all(is(Field.IP_PROTO, ICMP), otherVersion(Field.VERSION_4)),
                        all(is(Field.IP_PROTO, ICMP6), otherVersion(Field.VERSION_6)));
        return all(NO_LATER_FRAGMENT, others);
    }

    private static Condition otherVersion(int version) {
        ValueSet one = ValueSet.of(version);
        return new Condition.In(Field.IP_VERSION, one.complement(Field.IP_VERSION.bits()));
    }

    private static Condition flags(int value, int mask) {
        return new Condition.Bits(Field.TCP_FLAGS, value, mask);
    }

    private static ValueSet values(long... values) {
        ValueSet all = new ValueSet(List.of());
        for (long value : values) {
            all = all.or(ValueSet.of(value));
        }
        return all;
    }
}
