package dev.sluice.policy.model;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;

import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sight of a stage's rules on a packet whose header is known as it arrives.
 *
 * @param incoming whether packets have an interface there that they came in by
 * @param outgoing whether packets have an interface there that they will leave by
 * @param forwarded whether the TTL is one less there
 * @param reassembled packets whose fragments were put together before: the fate of a later one is
 *     that of its datagram, whose transport header is elsewhere
 * @param states connection states that rules see
 * @param translation what became of destinations before; null: nothing
 * @param marks what rules before made of marks
 */
public record Vantage(
        boolean incoming,
        boolean outgoing,
        boolean forwarded,
        Condition reassembled,
        States states,
        @Nullable Translation translation,
        MarkState marks) {
    /** Sight on packets as they came, but for fragments. */
    public Vantage(
            boolean incoming,
            boolean outgoing,
            boolean forwarded,
            Condition reassembled,
            States states) {
        this(incoming, outgoing, forwarded, reassembled, states, null, MarkState.OLD);
    }

    /** Sight on packets that are all put together, or none of them. */
    public Vantage(
            boolean incoming,
            boolean outgoing,
            boolean forwarded,
            boolean reassembled,
            States states) {
        this(
                incoming,
                outgoing,
                forwarded,
                reassembled ? Condition.ALWAYS : Condition.NEVER,
                states);
    }

    /** Packets as they arrive, with both interfaces and their states. */
    public static final Vantage PLAIN = new Vantage(true, true, false, false, States.TRACKED);

    private static final BigInteger MOST_TTL = BigInteger.valueOf(0xff);
    private static final Set<Field> OF_TRANSPORT =
            Set.of(Field.PORTS_PRESENT, Field.SRC_PORT, Field.DST_PORT, Field.TCP_FLAGS);

    private static final Set<Field> OF_FRAME = Set.of(Field.ETH_SRC, Field.ETH_DST);

    /** Connection states that rules see. */
    public enum States {
        /** States by the tracker, which came before. */
        TRACKED,
        /** INVALID for all packets, before the tracker. */
        UNSEEN,
        /** INVALID or UNTRACKED: rules before the tracker exempt packets from it. */
        EXEMPTED
    }

    /** The same on packets whose destinations were translated before. */
    public Vantage behind(@Nullable Translation other) {
        return new Vantage(incoming, outgoing, forwarded, reassembled, states, other, marks);
    }

    /** The same on packets whose marks were changed before. */
    public Vantage marked(MarkState before) {
        return new Vantage(incoming, outgoing, forwarded, reassembled, states, translation, before);
    }

    /** The condition on addresses and ports as they arrive that stands for one on those there. */
    public Condition translated(Condition condition) {
        return translation == null ? condition : translation.of(condition);
    }

    /** The condition on the arriving packet that stands for one on the packet there. */
    public Condition of(Condition condition) {
        return equals(PLAIN) ? condition : Condition.map(translated(condition), this::seen);
    }

    private Condition seen(Condition condition) {
        if (condition instanceof Condition.In in) {
            return in.field().equals(Field.TTL) && forwarded
                    ? new Condition.In(Field.TTL, arriving(in.values()))
                    : of(in.field(), in);
        }
        if (condition instanceof Condition.Bits bits) {
            return of(bits.field(), bits);
        }
        if (condition instanceof Condition.InState asked && states != States.TRACKED) {
            boolean invalid = asked.states().contains(ConnectionState.INVALID);
            boolean untracked = asked.states().contains(ConnectionState.UNTRACKED);
            return states == States.EXEMPTED && invalid != untracked
                    ? new Condition.Unknown("states before tracking")
                    : invalid ? Condition.ALWAYS : Condition.NEVER;
        }
        if (condition instanceof Condition.Interface name
                && !(name.incoming() ? incoming : outgoing)) {
            return name.fits("") ? Condition.ALWAYS : Condition.NEVER; // packets have none there
        }
        return condition instanceof Condition.Tracked && states != States.TRACKED
                ? Tracking.untracked(condition)
                : condition;
    }

    private Condition of(Field field, Condition condition) {
        if (!incoming && field.equals(Field.ETH_DST_PRESENT)) {
            return condition.equals(Condition.is(field, 1)) ? Condition.ALWAYS : Condition.NEVER;
        }
        if (!incoming && OF_FRAME.contains(field)) {
            return Condition.NEVER; // the frame is made later
        }
        if (reassembled.equals(Condition.NEVER)) {
            return condition;
        }
        if (field.equals(Field.FRAGMENT)) {
            return Condition.holds(condition, BigInteger.valueOf(Field.FRAGMENT_NONE))
                    ? any(reassembled, condition)
                    : all(Condition.not(reassembled), condition);
        }
        if (isFragmentHeader(condition)) {
            return all(Condition.not(reassembled), condition);
        }
        if (field.equals(Field.IP_LENGTH)) {
            Condition fragment = new Condition.Bits(Field.FRAGMENT, 1, 1);
            return any(
                    all(Condition.not(fragment), condition),
                    all(fragment, new Condition.Unknown("the length of a whole datagram")));
        }
        return OF_TRANSPORT.contains(field) ? orUnknownLater(condition) : condition;
    }

    private static boolean isFragmentHeader(Condition condition) {
        return condition instanceof Condition.Bits bits
                && bits.field().equals(Field.IPV6_EXTENSIONS)
                && bits.mask().intValue() == Field.EXTENSION_FRAGMENT;
    }

    /** A condition on the transport header, unknown of later fragments. */
    public static Condition orUnknownLater(Condition condition) {
        return any(
                condition,
                all(
                        Tracking.LATER_FRAGMENT,
                        new Condition.Unknown("the ports of a later fragment")));
    }

    private static ValueSet arriving(ValueSet there) {
        return new ValueSet(
                there.ranges().stream()
                        .map(
                                range ->
                                        new ValueSet.Range(
                                                range.low().add(BigInteger.ONE),
                                                range.high().add(BigInteger.ONE).min(MOST_TTL)))
                        .toList());
    }
}
