package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.List;

/** Loads of what the frame around a packet tells. */
final class Frames {
    private static final long MOST_MAC = 0xffffffffffffL;

    /** The bit of a frame's destination that many receive. */
    private static final BigInteger GROUP = BigInteger.ONE.shiftLeft(40);

    private Frames() {}

    /** An address of the frame, which a packet that the host sends has not yet. */
    static Loading mac(Field field) {
        Condition framed = new Condition.In(field, ValueSet.of(0, MOST_MAC));
        return new Loading.OfField(DataType.MAC, framed, Condition.ALWAYS, field, 0);
    }

    /** Types of packets by the frame's destination. */
    static Loading packetTypes() {
        Condition group = new Condition.Bits(Field.ETH_DST, GROUP, GROUP);
        Condition all = Condition.is(Field.ETH_DST, 0xffffffffffffL);
        return new Loading.OfClasses(
                DataType.PACKET_TYPE,
                Condition.ALWAYS,
                List.of(
                        framed(0, Condition.not(group)),
                        framed(1, all),
                        framed(2, Conditions.all(group, Condition.not(all)))));
    }

    private static Loading.PacketClass framed(long value, Condition frame) {
        Condition unknown = new Condition.Unknown("the type of a packet without a frame");
        return new Loading.PacketClass(
                BigInteger.valueOf(value),
                Condition.any(
                        Conditions.all(Condition.is(Field.ETH_DST_PRESENT, 1), frame),
                        Conditions.all(Condition.is(Field.ETH_DST_PRESENT, 0), unknown)));
    }
}
