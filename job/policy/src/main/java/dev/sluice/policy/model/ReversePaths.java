package dev.sluice.policy.model;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;

import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reverse paths of a host: the interfaces by which packets to an address leave, as the kernel looks
 * them up for the sender of a packet. No path leads to an address of the host itself.
 */
public final class ReversePaths {
    private static final ValueSet NONE = new ValueSet(List.of());
    private static final String LOOPBACK = "lo";

    /** Senders without an address, and groups: the kernel treats these apart. */
    private static final ValueSet ODD4 =
            ValueSet.of(0, 0xffffff).or(ValueSet.of(0xe0000000L, 0xffffffffL));

    private static final ValueSet ODD6 =
            ValueSet.of(0).or(ValueSet.of(first(0xff00), last(0xffff)));

    /** Addresses of a link, whose paths are those of the interface alone. */
    private static final ValueSet LINK = ValueSet.of(first(0xfe80), last(0xfebf));

    private final Host host;
    private final boolean v6;
    private final int bits;

    private ReversePaths(Host host, boolean v6) {
        this.host = host;
        this.v6 = v6;
        this.bits = v6 ? 128 : 32;
    }

    private static BigInteger first(int begin) {
        return BigInteger.valueOf(begin).shiftLeft(112);
    }

    private static BigInteger last(int begin) {
        return first(begin + 1).subtract(BigInteger.ONE);
    }

    /** Names of the interfaces that the condition on reverse paths asks for. */
    static Set<String> interfaces(Host host) {
        Map<String, ValueSet> names = new TreeMap<>(Map.of(LOOPBACK, NONE));
        host.routes().forEach(route -> route.devices().forEach(name -> names.put(name, NONE)));
        return names.keySet();
    }

    /** Returns the condition that stands for one on an address of a host, or its opposite. */
    public static Condition condition(Host host, Condition.OfHost asked, boolean negated) {
        return asked.type() == Condition.AddressType.RETURNING
                ? new ReversePaths(host, asked.field().bits() == 128).returning(asked, negated)
                : host.condition(asked, negated);
    }

    /**
     * Returns the condition that packets to an address leave by the interface of the packet, or its
     * opposite. Both are alternatives of addresses that share none, so that neither multiplies.
     */
    private Condition returning(Condition.OfHost asked, boolean negated) {
        List<Host.Route> routes = host.longestLast(v6);
        Condition unknown = new Condition.Unknown(asked.words());
        if (routes.isEmpty()) {
            return unknown;
        }
        Map<Set<String>, ValueSet> paths = new LinkedHashMap<>(); // by interfaces
        paths.put(Set.of(), NONE.complement(bits));
        for (Host.Route route : routes) {
            ValueSet to = new ValueSet(List.of(route.destinations()));
            paths.replaceAll((devices, some) -> some.minus(to, bits));
            paths.merge(route.devices(), to, ValueSet::or);
        }
        ValueSet locals = host.locals(v6);
        ValueSet open = odd().minus(locals, bits);
        Field sender = asked.field();
        List<Condition> any = new ArrayList<>();
        any.add(all(new Condition.In(sender, open), unknown));
        any.add(new Condition.In(sender, negated ? locals : NONE));
        paths.forEach(
                (devices, routed) -> {
                    ValueSet some = routed.minus(open.or(locals), bits);
                    ValueSet far = v6 ? some.minus(LINK, bits) : some;
                    ValueSet near = some.minus(far, bits);
                    List<Condition> names = new ArrayList<>();
                    for (String name : devices.stream().sorted().toList()) {
                        names.add(new Condition.Interface(true, name));
                    }
                    Condition by = new Condition.Any(names);
                    boolean hashed = v6 && devices.size() > 1; // of the packet, which chooses
                    Condition certain = hashed ? all(by, unknown) : by;
                    any.add(of(new Condition.In(sender, far), certain, negated));
                    any.add(of(new Condition.In(sender, near), any(by, unknown), negated));
                });
        Condition loopback = new Condition.Interface(true, LOOPBACK);
        return negated
                ? all(new Condition.Any(any), any(Condition.not(loopback), unknown))
                : any(new Condition.Any(any), all(loopback, unknown));
    }

    private static Condition of(Condition senders, Condition returns, boolean negated) {
        return all(senders, negated ? Condition.not(returns) : returns);
    }

    /** Senders whose paths the kernel's table of local routes tells, which no file does. */
    private ValueSet odd() {
        ValueSet odd = (v6 ? ODD6 : ODD4).or(host.broadcasts(v6));
        for (Host.Address address : host.addresses()) {
            if (address.v6() == v6) {
                odd = odd.or(ValueSet.of(address.network(), address.network()));
            }
        }
        return odd;
    }
}
