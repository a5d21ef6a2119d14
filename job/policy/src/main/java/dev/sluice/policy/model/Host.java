package dev.sluice.policy.model;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.any;

import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Interfaces, addresses and routes of the host that a policy is of. */
public record Host(List<Address> addresses, List<Route> routes, List<Link> links) {
    /** Copies the lists. */
    public Host {
        addresses = List.copyOf(addresses);
        routes = List.copyOf(routes);
        links = List.copyOf(links);
    }

    /** A host of whose interfaces only the addresses are known. */
    public Host(List<Address> addresses, List<Route> routes) {
        this(addresses, routes, List.of());
    }

    /**
     * Interface.
     *
     * @param index the kernel's number of it
     * @param master bridge, bond or VRF that its packets go to; empty: none
     * @param below interface that it is made of, as a VLAN is; empty: none
     */
    public record Link(int index, String name, String master, String below) {}

    /**
     * Address of an interface.
     *
     * @param network first address of its network
     * @param broadcast broadcast address of its network; null: it has none
     */
    public record Address(
            boolean v6,
            String device,
            BigInteger value,
            BigInteger network,
            @Nullable BigInteger broadcast) {}

    /**
     * Route.
     *
     * @param destinations addresses that it leads to
     * @param devices interfaces of which packets leave by one; none: the host drops them
     */
    public record Route(boolean v6, ValueSet.Range destinations, Set<String> devices) {
        /** Copies the set. */
        public Route {
            devices = Set.copyOf(devices);
        }
    }

    /** Open where routes name no interface, or several. */
    public static final Condition OPEN_ROUTE = new Condition.Unknown("the route");

    private static final ValueSet LOOPBACK4 = ValueSet.of(0x7f000000L, 0x7fffffffL);
    private static final ValueSet GROUPS4 = ValueSet.of(0xe0000000L, 0xefffffffL);
    private static final ValueSet EVERYBODY4 = ValueSet.of(0xffffffffL);
    private static final ValueSet LOOPBACK6 = ValueSet.of(1);
    private static final ValueSet GROUPS6 =
            ValueSet.of(BigInteger.valueOf(0xff).shiftLeft(120), ValueSet.ones(128));
    private static final ValueSet NONE = new ValueSet(List.of());

    /** Returns the names of the interfaces that packets of a bridge may come in by. */
    public Set<String> bridges() {
        Set<String> bridges = new TreeSet<>();
        links.forEach(link -> bridges.add(link.master));
        Set<String> names = new HashSet<>();
        links.forEach(link -> names.add(link.name));
        boolean more = true;
        while (more) {
            more = false;
            for (Link link : links) {
                boolean unsure = bridges.contains(link.below) || !names.contains(link.below);
                more |= !link.below.isEmpty() && unsure && bridges.add(link.name);
            }
        }
        bridges.remove("");
        return bridges;
    }

    /** Returns the condition that stands for one on the type of an address, or its opposite. */
    Condition condition(Condition.OfHost asked, boolean negated) {
        boolean v6 = asked.field().bits() == 128;
        if (asked.type() == Condition.AddressType.LOCAL) {
            Condition local = new Condition.In(asked.field(), locals(v6));
            return negated ? Condition.not(local) : local;
        }
        ValueSet networks = NONE;
        for (Address address : addresses) {
            if (!v6 && !address.v6 && !address.network.equals(address.value)) {
                networks = networks.or(ValueSet.of(address.network, address.network));
            }
        }
        ValueSet certain = broadcasts(v6);
        Condition first = // broadcast, too, to kernels before 5.14
                all(
                        new Condition.In(
                                asked.field(), networks.minus(certain, asked.field().bits())),
                        new Condition.Unknown("the type of a network's first address"));
        return negated
                ? any(Condition.not(new Condition.In(asked.field(), certain.or(networks))), first)
                : any(new Condition.In(asked.field(), certain), first);
    }

    /** Returns the condition on destinations of packets that leave by interfaces of a name. */
    public Condition leaving(Condition.Interface asked) {
        return any(
                leaving(asked, Field.IPV4_DST, Field.VERSION_4),
                leaving(asked, Field.IPV6_DST, Field.VERSION_6));
    }

    private Condition leaving(Condition.Interface asked, Field destination, int version) {
        boolean v6 = version == Field.VERSION_6;
        int bits = destination.bits();
        ValueSet yes = NONE;
        ValueSet maybe = NONE.complement(bits); // no route
        List<Route> longestLast = longestLast(v6);
        for (Address address : addresses) {
            if (address.v6 == v6) {
                ValueSet.Range one = new ValueSet.Range(address.value, address.value);
                longestLast.add(new Route(v6, one, Set.of("lo")));
            }
        }
        for (Route route : longestLast) {
            ValueSet to = new ValueSet(List.of(route.destinations));
            long fitting = route.devices.stream().filter(asked::fits).count();
            yes = yes.minus(to, bits);
            maybe = maybe.minus(to, bits);
            if (fitting > 0 && fitting == route.devices.size()) {
                yes = yes.or(to);
            } else if (fitting > 0 || route.devices.isEmpty()) {
                maybe = maybe.or(to);
            }
        }
        ValueSet groups = v6 ? GROUPS6 : GROUPS4; // leave by the interface that their sender names
        return all(
                Condition.is(Field.IP_VERSION, version),
                any(
                        new Condition.In(destination, yes.minus(groups, bits)),
                        all(new Condition.In(destination, maybe.or(groups)), OPEN_ROUTE)));
    }

    /** The routes of an IP version, of which later ones count before earlier ones. */
    List<Route> longestLast(boolean v6) {
        List<Route> longestLast = new ArrayList<>(routes);
        longestLast.removeIf(route -> route.v6 != v6);
        longestLast.sort(Comparator.comparing(Host::size).reversed());
        return longestLast;
    }

    private static BigInteger size(Route route) {
        return route.destinations.high().subtract(route.destinations.low());
    }

    /**
     * Returns the condition on the packets that meet a hook: INPUT is met by those for the host,
     * OUTPUT by those that it sends, FORWARD by others. A packet from one of its addresses to
     * another meets both INPUT and OUTPUT.
     *
     * @param judged condition on the packets that come to the hook's policy
     */
    public Condition meets(String hook, Condition judged) {
        Condition from = sends();
        Condition to = any(to(false), to(true));
        return switch (hook.toUpperCase(Locale.ROOT)) {
            case "INPUT" ->
                    all(judged, to, Condition.not(all(from, any(groups(false), groups(true)))));
            case "OUTPUT" -> all(judged, from);
            default -> all(judged, Condition.not(from), Condition.not(to));
        };
    }

    /** Returns the condition on the packets that the host sends. */
    public Condition sends() {
        return any(from(false), from(true));
    }

    private Condition from(boolean v6) {
        return ofVersion(v6, v6 ? Field.IPV6_SRC : Field.IPV4_SRC, locals(v6));
    }

    private Condition to(boolean v6) {
        Field destination = v6 ? Field.IPV6_DST : Field.IPV4_DST;
        return any(groups(v6), ofVersion(v6, destination, locals(v6)));
    }

    /** Condition of packets to groups and to broadcast addresses. */
    private Condition groups(boolean v6) {
        ValueSet groups = broadcasts(v6).or(v6 ? GROUPS6 : GROUPS4);
        return ofVersion(v6, v6 ? Field.IPV6_DST : Field.IPV4_DST, groups);
    }

    private static Condition ofVersion(boolean v6, Field address, ValueSet values) {
        return all(
                Condition.is(Field.IP_VERSION, v6 ? Field.VERSION_6 : Field.VERSION_4),
                new Condition.In(address, values));
    }

    /** The addresses of its interfaces. */
    ValueSet locals(boolean v6) {
        ValueSet locals = v6 ? LOOPBACK6 : LOOPBACK4;
        for (Address address : addresses) {
            if (address.v6 == v6) {
                locals = locals.or(ValueSet.of(address.value, address.value));
            }
        }
        return locals;
    }

    /** The broadcast addresses of its networks. */
    ValueSet broadcasts(boolean v6) {
        ValueSet broadcasts = v6 ? NONE : EVERYBODY4;
        for (Address address : addresses) {
            if (address.v6 == v6 && address.broadcast != null) {
                broadcasts = broadcasts.or(ValueSet.of(address.broadcast, address.broadcast));
            }
        }
        return broadcasts;
    }
}
