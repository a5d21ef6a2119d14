package dev.sluice.policy.model;

import dev.sluice.schemas.header.Field;
import java.math.BigInteger;

/**
 * Transport protocol as nftables sees it: in IPv6 an authentication header is the last one,
 * whatever stands behind it. Such packets have an SPI, as else only those of ESP and, in IPv4, of
 * AH have.
 */
public final class SeenProtocol {
    private static final int BITS = Field.IP_PROTO.bits();
    private static final ValueSet ESP = ValueSet.of(50);
    private static final ValueSet AUTHENTICATION = ValueSet.of(51);

    private static final Condition AUTHENTICATED =
            new Condition.Bits(
                    Field.IPV6_EXTENSIONS,
                    Field.EXTENSION_AUTHENTICATION,
                    Field.EXTENSION_AUTHENTICATION);

    private SeenProtocol() {}

    /** The condition that the protocol is one of a set. */
    public static Condition in(ValueSet values) {
        if (holds(values, AUTHENTICATION)) {
            return Condition.any(protocol(values), AUTHENTICATED);
        }
        ValueSet others = values.minus(ESP, BITS);
        Condition plain = Condition.all(protocol(others), Condition.is(Field.SPI_PRESENT, 0));
        return holds(values, ESP)
                ? Condition.any(plain, Condition.all(protocol(ESP), Condition.not(AUTHENTICATED)))
                : plain;
    }

    private static boolean holds(ValueSet values, ValueSet one) {
        BigInteger value = one.ranges().get(0).low();
        return values.contains(value);
    }

    private static Condition protocol(ValueSet values) {
        return new Condition.In(Field.IP_PROTO, values);
    }
}
