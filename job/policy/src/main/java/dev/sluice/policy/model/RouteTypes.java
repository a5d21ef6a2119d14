package dev.sluice.policy.model;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;

import dev.sluice.schemas.header.Field;
import java.util.List;

/** Types of IPv4 addresses, as the kernel's table of local routes tells them. */
public final class RouteTypes {
    private static final ValueSet MULTICAST = ValueSet.of(0xe0000000L, 0xefffffffL);
    private static final ValueSet BROADCAST = ValueSet.of(0, 0xffffff).or(ValueSet.of(0xffffffffL));

    /** Last address of loopback, which is a broadcast address of that interface. */
    private static final ValueSet LAST = ValueSet.of(0x7fffffffL);

    private static final ValueSet LOOPBACK = ValueSet.of(0x7f000001L, 0x7ffffffeL);

    private RouteTypes() {}

    /**
     * The condition that an address is of a type. Multicast addresses, the broadcast addresses of
     * no network and loopback are known; of all other addresses the host's routes tell the type.
     *
     * @param type in upper case
     * @param words the condition in the words of its rule
     * @param ofOne whether only the routes of one interface count, which no file tells
     */
    public static Condition ipv4(Field field, String type, String words, boolean ofOne) {
        ValueSet broadcast = ofOne ? BROADCAST : BROADCAST.or(LAST);
        ValueSet loopback = ofOne ? new ValueSet(List.of()) : LOOPBACK;
        Condition elsewhere =
                new Condition.In(
                        field, MULTICAST.or(broadcast).or(loopback).complement(field.bits()));
        Condition local = ofHost(field, Condition.AddressType.LOCAL, words, ofOne);
        Condition everybody = ofHost(field, Condition.AddressType.BROADCAST, words, ofOne);
        return switch (type) {
            case "MULTICAST" -> new Condition.In(field, MULTICAST);
            case "BROADCAST" -> any(new Condition.In(field, broadcast), all(elsewhere, everybody));
            case "LOCAL" -> any(new Condition.In(field, loopback), all(elsewhere, local));
            case "UNICAST" -> all(elsewhere, Condition.not(local), Condition.not(everybody));
            default ->
                    all(
                            elsewhere,
                            Condition.not(local),
                            Condition.not(everybody),
                            new Condition.Unknown(words));
        };
    }

    /** The condition that the host's routes tell a type of an address. */
    public static Condition ofHost(
            Field field, Condition.AddressType type, String words, boolean ofOne) {
        return ofOne
                ? new Condition.Unknown(words + " of one interface")
                : new Condition.OfHost(field, type, words);
    }
}
