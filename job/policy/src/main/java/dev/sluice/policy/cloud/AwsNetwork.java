package dev.sluice.policy.cloud;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Objects of AWS that decide about packets, by their ids. */
final class AwsNetwork {
    final Map<String, Listed> groups = new LinkedHashMap<>();
    final Map<String, Listed> acls = new LinkedHashMap<>();
    final Map<String, Subnet> subnets = new LinkedHashMap<>();

    /** Addresses of prefix lists; a list without its addresses is not there. */
    final Map<String, AddressSet> prefixLists = new LinkedHashMap<>();

    private final Map<String, Interface> interfaces = new LinkedHashMap<>();

    /**
     * A security group or a network ACL.
     *
     * @param words its name in messages and rules, as in {@code sg-1 (web)}
     * @param subnets of an ACL the subnets that it is for
     */
    record Listed(
            String id, String words, YamlPosition at, List<Entry> entries, Set<String> subnets) {
        Listed(String id, String words, YamlPosition at) {
            this(id, words, at, new ArrayList<>(), new LinkedHashSet<>());
        }

        /** Name of the list of a direction. */
        String list(boolean out) {
            return id + (out ? "/out" : "/in");
        }
    }

    /**
     * An entry of a group or an ACL.
     *
     * @param number its place among those of an ACL
     */
    record Entry(
            YamlPosition at,
            boolean out,
            int number,
            boolean permits,
            CloudTraffic traffic,
            Peer peer,
            String comment) {}

    /** The other end of the traffic of an entry: addresses, a security group, or a prefix list. */
    record Peer(@Nullable AddressSet block, String id, String words) {
        /** Any end of either IP version. */
        static final Peer ANY = new Peer(AddressSet.ALL, "", "any");
    }

    /** A subnet. */
    record Subnet(String id, String vpc, AddressSet blocks) {}

    /**
     * A network interface.
     *
     * @param addresses its private addresses, and those of IPv6
     * @param publics addresses that a gateway translates from and to private ones
     * @param forwards whether it passes on packets of others
     */
    record Interface(
            String id,
            YamlPosition at,
            String vpc,
            String subnet,
            Set<String> groups,
            AddressSet addresses,
            AddressSet publics,
            boolean forwards) {
        /** Addresses by which packets name it inside its network and outside. */
        AddressSet all() {
            return addresses.or(publics);
        }
    }

    /** The list of an id, which is made where it is missing. */
    static Listed list(Map<String, Listed> lists, String id, YamlPosition at) {
        return lists.computeIfAbsent(id, none -> new Listed(id, id, at));
    }

    /** Adds a list that its file tells as a whole. */
    static Listed add(Map<String, Listed> lists, Listed list) throws YamlException {
        Listed other = lists.putIfAbsent(list.id, list);
        if (other != null) {
            throw list.at.refused(
                    list.id,
                    "is there twice, also in %s:%d; remove one"
                            .formatted(other.at.file(), other.at.line()));
        }
        return list;
    }

    /** Adds an interface, which several outputs may tell alike. */
    void add(Interface one) {
        interfaces.putIfAbsent(one.id, one);
    }

    /** The interfaces of a network; empty: of all. */
    List<Interface> interfaces(String vpc) {
        return interfaces.values().stream()
                .filter(each -> vpc.isEmpty() || each.vpc.equals(vpc))
                .toList();
    }

    /** The networks that interfaces are in. */
    Set<String> vpcs() {
        Set<String> vpcs = new LinkedHashSet<>();
        interfaces.values().forEach(each -> vpcs.add(each.vpc));
        vpcs.remove("");
        return vpcs;
    }

    /** An interface with a private address of one in another network; null: there is none. */
    @Nullable Interface ambiguous() {
        Map<String, AddressSet> byVpc = new LinkedHashMap<>();
        for (Interface each : interfaces.values()) {
            for (Map.Entry<String, AddressSet> other : byVpc.entrySet()) {
                if (!other.getKey().equals(each.vpc)
                        && !other.getValue().and(each.addresses).isEmpty()) {
                    return each;
                }
            }
            byVpc.merge(each.vpc, each.addresses, AddressSet::or);
        }
        return null;
    }

    /** Returns whether an ACL permits all packets of a direction that interfaces may have. */
    boolean permitsAll(Listed acl, boolean out) {
        AddressSet left = AddressSet.ALL;
        for (Entry entry : entries(acl, out)) {
            AddressSet block = entry.peer.block;
            if (!entry.permits && block != null && !block.and(left).isEmpty()) {
                return false;
            }
            if (entry.permits && block != null && entry.traffic.equals(CloudTraffic.ALL)) {
                left = left.minus(block);
            }
        }
        boolean hasV6 =
                interfaces.values().stream().anyMatch(each -> !each.all().onlyV6().isEmpty());
        return hasV6 ? left.isEmpty() : left.onlyV4().isEmpty();
    }

    private static List<Entry> entries(Listed list, boolean out) {
        return list.entries.stream()
                .filter(entry -> entry.out == out)
                .sorted(Comparator.comparingInt(Entry::number))
                .toList();
    }

    /** The rules of a direction of a list, in their order. */
    List<CloudRule> rules(Listed list, CloudStage stage) {
        return entries(list, stage.out).stream().map(entry -> rule(entry, list, stage)).toList();
    }

    private CloudRule rule(Entry entry, Listed list, CloudStage stage) {
        String text =
                "%s%s %s %s"
                        .formatted(
                                entry.number == 0
                                        ? ""
                                        : entry.number + (entry.permits ? " allow " : " deny "),
                                entry.traffic.words(),
                                stage.out ? "to" : "from",
                                entry.peer.words);
        return new CloudRule(
                entry.at,
                list.list(stage.out),
                text,
                entry.comment,
                entry.traffic.from(peer(entry.peer, stage)),
                entry.permits);
    }

    private Condition peer(Peer peer, CloudStage stage) {
        if (peer.block != null) {
            return peer.block.equals(AddressSet.ALL) ? Condition.ALWAYS : stage.peer(peer.block);
        }
        if (peer.id.startsWith("pl-")) {
            AddressSet known = prefixLists.get(peer.id);
            return known == null
                    ? new Condition.Unknown("the addresses of prefix list " + peer.id)
                    : stage.peer(known);
        }
        AddressSet members =
                AddressSet.of(
                        interfaces.values().stream()
                                .filter(each -> each.groups.contains(peer.id))
                                .map(Interface::addresses)
                                .toList());
        return members.isEmpty() && !(groups.containsKey(peer.id) && !interfaces.isEmpty())
                ? new Condition.Unknown("the interfaces of " + peer.id)
                : stage.peer(members);
    }
}
