package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Loads of what the host knows: its connections and its routes. */
final class HostLoads {
    private static final Map<ConnectionState, Integer> STATES =
            Map.of(
                    ConnectionState.INVALID, 1,
                    ConnectionState.ESTABLISHED, 2,
                    ConnectionState.RELATED, 4,
                    ConnectionState.NEW, 8,
                    ConnectionState.UNTRACKED, 64);

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

    /** A question about the host's routes. */
    static Loading fib(Node at, Node value) throws RefusedException {
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
        return new Loading.Unseen(type, Condition.ALWAYS, at.words());
    }
}
