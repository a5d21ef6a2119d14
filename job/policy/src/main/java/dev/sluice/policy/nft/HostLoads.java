package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.RouteTypes;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Loads of what the host knows: its connections and its routes. */
final class HostLoads {
    private static final Map<ConnectionState, Integer> STATES =
            Map.of(
                    ConnectionState.INVALID, 1,
                    ConnectionState.ESTABLISHED, 2,
                    ConnectionState.RELATED, 4,
                    ConnectionState.NEW, 8,
                    ConnectionState.UNTRACKED, 64);

    /** Types of addresses by the kernel's number. */
    private static final List<String> TYPES =
            List.of(
                    "UNSPEC",
                    "UNICAST",
                    "LOCAL",
                    "BROADCAST",
                    "ANYCAST",
                    "MULTICAST",
                    "BLACKHOLE",
                    "UNREACHABLE",
                    "PROHIBIT");

    private static final ValueSet GROUPS =
            ValueSet.of(BigInteger.valueOf(0xff).shiftLeft(120), ValueSet.ones(128));

    private HostLoads() {}

    /** Something of the connection that a packet is of. */
    static Loading connection(Node at, Node value) throws RefusedException {
        String key = value.needText("key");
        if (key.equals("state") && value.get("dir") == null) {
            List<Loading.PacketClass> classes = new ArrayList<>();
            for (ConnectionState state : ConnectionState.values()) {
                classes.add(
                        new Loading.PacketClass(
                                BigInteger.valueOf(STATES.getOrDefault(state, 0)),
                                new Condition.InState(Set.of(state))));
            }
            return new Loading.OfClasses(DataType.STATE, Condition.ALWAYS, classes);
        }
        boolean directed = key.matches("(ip6? )?[sd]addr|proto-(src|dst)");
        boolean either = key.matches("l3proto|protocol|bytes|packets|avgpkt|zone");
        if (value.get("dir") == null ? directed : !directed && !either) {
            throw at.refused(
                    directed
                            ? "is of one direction; write ct original or ct reply before it"
                            : "is of the whole connection; remove the direction");
        }
        DataType type = UnseenFields.type("ct", key);
        if (type == null) {
            throw at.refused(
                    "is no key of ct that Sluice reads; add --skip-unsupported: packets that it may decide about"
                            + " then depend");
        }
        return new Loading.Unseen(type, Condition.ALWAYS, at.words());
    }

    /**
     * A question about the host's routes.
     *
     * @param family that of the table
     */
    static Loading fib(Node at, Node value, String family) throws RefusedException {
        DataType type =
                switch (value.needText("result")) {
                    case "type" -> DataType.ROUTE_TYPE;
                    case "oifname" -> DataType.NAME;
                    case "oif" -> DataType.UNSEEN;
                    default -> throw at.refused("asks for no result; write type, oif or oifname");
                };
        boolean addressed = false;
        String words = value.need("flags").words();
        if (words.contains("saddr") && words.contains("daddr")
                || words.contains("iif") && words.contains("oif")) {
            throw at.refused("asks for two of one kind; keep one address and one interface");
        }
        for (Node flag : value.need("flags").list()) {
            if (!flag.text().matches("saddr|daddr|mark|iif|oif")) {
                throw flag.refused("is no flag of fib; write saddr, daddr, mark, iif or oif");
            }
            addressed |= flag.text().endsWith("addr");
        }
        if (!addressed) {
            throw at.refused("names no address; write saddr or daddr");
        }
        return type == DataType.ROUTE_TYPE && words.matches("[sd]addr")
                ? new OfRouteType(words.equals("saddr"), at.words(), family)
                : new Loading.Unseen(type, Condition.ALWAYS, at.words());
    }

    /**
     * The type of an address. IPv6 has types that no file tells, such as anycast.
     *
     * @param family that of the table
     */
    private record OfRouteType(boolean source, String words, String family) implements Loading {
        @Override
        public DataType type() {
            return DataType.ROUTE_TYPE;
        }

        @Override
        public Condition where(Condition value) {
            return value;
        }

        @Override
        public Condition in(ValueSet values) {
            return versions(four(values), six(values), family);
        }

        @Override
        public Condition notIn(ValueSet values) {
            return versions(Condition.not(four(values)), Condition.not(six(values)), family);
        }

        @Override
        public Condition bits(BigInteger value, BigInteger mask) {
            return new Condition.Unknown(words);
        }

        private Condition four(ValueSet values) {
            Field field = source ? Field.IPV4_SRC : Field.IPV4_DST;
            List<Condition> any = new ArrayList<>();
            for (String type : named(values)) {
                any.add(RouteTypes.ipv4(field, type, words, false));
            }
            return new Condition.Any(any);
        }

        private Condition six(ValueSet values) {
            Field field = source ? Field.IPV6_SRC : Field.IPV6_DST;
            Condition local = new Condition.OfHost(field, Condition.AddressType.LOCAL, words);
            Condition group = new Condition.In(field, GROUPS);
            List<Condition> any = new ArrayList<>();
            for (String type : named(values)) {
                switch (type) {
                    case "LOCAL" -> any.add(local);
                    case "BROADCAST" -> {} // IPv6 has none
                    default -> {
                        Condition others =
                                type.equals("MULTICAST")
                                        ? group
                                        : type.equals("UNICAST")
                                                ? Condition.not(group)
                                                : Condition.ALWAYS;
                        any.add(
                                Conditions.all(
                                        others,
                                        Condition.not(local),
                                        new Condition.Unknown(words)));
                    }
                }
            }
            return new Condition.Any(any);
        }

        private static List<String> named(ValueSet values) {
            return TYPES.stream()
                    .filter(type -> values.contains(BigInteger.valueOf(TYPES.indexOf(type))))
                    .toList();
        }
    }

    /** A condition on packets of each IP version that comes to a table. */
    private static Condition versions(Condition four, Condition six, String family) {
        return switch (family) {
            case "ip" -> four;
            case "ip6" -> six;
            default ->
                    Condition.any(
                            Conditions.all(NamedProtocols.V4, four),
                            Conditions.all(NamedProtocols.V6, six));
        };
    }

    /**
     * The condition that packets to the sender leave by the interface that the packet came in by.
     *
     * @return null: another question is asked
     */
    static @Nullable Condition reversePath(Node fib, Node right, boolean negated, String family) {
        Node flags = fib.inner().get("flags");
        String asked = flags == null ? "" : flags.words().replaceFirst("mark, |, mark", "");
        String result = fib.inner().text("result");
        boolean found = right.text().matches("exists|true");
        boolean missing =
                right.text().matches("missing|false") || result.equals("oif") && right.is("0");
        if (!asked.matches("saddr, iif|iif, saddr")
                || !result.startsWith("oif")
                || found == missing) {
            return null;
        }
        Condition.AddressType type = Condition.AddressType.RETURNING;
        String words = fib.words();
        Condition four = new Condition.OfHost(Field.IPV4_SRC, type, words);
        Condition six = new Condition.OfHost(Field.IPV6_SRC, type, words);
        return found == negated
                ? versions(Condition.not(four), Condition.not(six), family)
                : versions(four, six, family);
    }
}
