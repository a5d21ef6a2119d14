package dev.sluice.policy.nft;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tables that the commands of a ruleset make. */
final class Ruleset {
    private int chainsMade;

    private static final Set<String> FAMILIES =
            Set.of("ip", "ip6", "inet", "arp", "bridge", "netdev");
    private static final Set<String> OBJECTS =
            Set.of(
                    "counter",
                    "quota",
                    "limit",
                    "flowtable",
                    "ct helper",
                    "ct timeout",
                    "ct expectation",
                    "secmark",
                    "synproxy");

    private final Map<String, Table> tables = new LinkedHashMap<>();

    /** The tables, in the order of their making. */
    List<Table> tables() {
        return List.copyOf(tables.values());
    }

    /** Runs a command. */
    void run(Node command) throws RefusedException {
        command.requireBounds();
        String verb = command.key();
        Node object = command.inner();
        String kind = object.key();
        Node value = object.inner();
        switch (verb) {
            case "add", "create", "insert" -> add(verb, kind, value);
            case "flush" -> flush(kind, value);
            case "delete", "destroy" -> delete(verb, kind, value);
            default ->
                    throw command.refused(
                            "is a command that Sluice does not read; load the file and judge the"
                                    + " output of nft list ruleset");
        }
    }

    private void add(String verb, String kind, Node value) throws RefusedException {
        switch (kind) {
            case "table" -> {
                String family = value.needText("family");
                if (!FAMILIES.contains(family)) {
                    throw value.need("family").refused("is no family; write ip, ip6, inet or arp");
                }
                String name = value.needText("name");
                String key = family + " " + name;
                if (verb.equals("create") && tables.containsKey(key)) {
                    throw value.need("name").refused("is a table already; write add");
                }
                Table old = tables.get(key);
                if (old == null || value.get("flags") != null) {
                    tables.put(
                            key,
                            new Table(
                                    family,
                                    name,
                                    value,
                                    old == null ? new LinkedHashMap<>() : old.chains(),
                                    old == null ? new LinkedHashMap<>() : old.sets(),
                                    old == null ? new LinkedHashMap<>() : old.objects()));
                }
            }
            case "chain" -> chain(verb, value);
            case "rule" -> rule(verb, value);
            case "set", "map" -> set(verb, kind, value);
            case "element" -> {
                NamedSet set = namedSet(table(value), value);
                set.elements().addAll(value.need("elem").list());
            }
            default -> {
                if (!OBJECTS.contains(kind)) {
                    throw value.at()
                            .refused(
                                    kind,
                                    "is no object that Sluice reads; dump the ruleset by nft list ruleset");
                }
                table(value).objects().put(kind + " " + value.needText("name"), value);
            }
        }
    }

    private Table table(Node value) throws RefusedException {
        String family = value.needText("family");
        String name = value.needText("table");
        Table table = tables.get(family + " " + name);
        if (table == null) {
            throw value.need("table")
                    .refused("is no table of the family %s; make it above".formatted(family));
        }
        return table;
    }

    private static NamedSet namedSet(Table table, Node value) throws RefusedException {
        NamedSet set = table.sets().get(value.needText("name"));
        if (set == null) {
            throw value.need("name")
                    .refused("is no set of table %s; make it above".formatted(table.name()));
        }
        return set;
    }

    private void chain(String verb, Node value) throws RefusedException {
        Table table = table(value);
        String name = value.needText("name");
        Chain old = table.chains().get(name);
        if (old != null && verb.equals("create")) {
            throw value.need("name").refused("is a chain already; write add");
        }
        Chain chain = new Chain(value, old == null ? chainsMade++ : old.number());
        if (value.get("hook") != null) {
            BaseChains.check(table, chain);
        } else if (value.get("policy") != null && (old == null || !old.isBase())) {
            throw value.need("policy")
                    .refused(
                            "is the policy of a chain without a hook; write type, hook and priority before it");
        }
        if (old == null) {
            table.chains().put(name, chain);
        } else if (chain.isBase()) {
            if (old.isBase() && !BaseChains.sameHook(table, old, chain)) {
                throw value.need("name")
                        .refused("is a chain of another hook or priority above; write the same");
            }
            if (!old.isBase()) {
                throw value.need("name")
                        .refused("is a chain without a hook above; write the hook there");
            }
            merge(table, old, value.map());
        } else if (value.get("policy") != null) {
            Map<String, Node> policy = new LinkedHashMap<>(value.map());
            policy.keySet().retainAll(Set.of("policy", "policyAt"));
            merge(table, old, policy);
        }
    }

    /** Says more of a chain that is there. */
    private static void merge(Table table, Chain old, Map<String, Node> more) {
        Map<String, Node> merged = new LinkedHashMap<>(old.declaration().map());
        merged.remove("policyAt");
        merged.putAll(more);
        Chain both = new Chain(new Node(old.declaration().at(), merged), old.number());
        both.rules().addAll(old.rules());
        table.chains().put(old.name(), both);
    }

    private void rule(String verb, Node value) throws RefusedException {
        Table table = table(value);
        Chain chain = table.chains().get(value.needText("chain"));
        if (chain == null) {
            throw value.need("chain")
                    .refused("is no chain of table %s; make it above".formatted(table.name()));
        }
        Node index = value.get("index");
        if (index == null && verb.equals("insert")) {
            chain.rules().add(0, value);
        } else if (index == null) {
            chain.rules().add(value);
        } else {
            BigInteger number = index.number(31);
            int place = number.intValue() + (verb.equals("insert") ? 0 : 1);
            if (number.intValue() >= chain.rules().size()) {
                throw index.refused("is the number of no rule; write one from 0 on");
            }
            chain.rules().add(place, value);
        }
    }

    private void set(String verb, String kind, Node value) throws RefusedException {
        Table table = table(value);
        String name = value.needText("name");
        NamedSet old = table.sets().get(name);
        if (old != null && verb.equals("create")) {
            throw value.need("name").refused("is a set already; write add");
        }
        NamedSet set = old;
        if (set == null) {
            set = new NamedSet(name, value, kind.equals("map"));
            if (value.get("type") == null && value.get("typeof") == null) {
                throw value.need("name")
                        .refused("is a set without a type; write type before its elements");
            }
            if (set.isMap() && value.get("map") == null && value.get("mapof") == null) {
                throw value.need("name").refused("is a map without a type of its values; write it");
            }
            table.sets().put(name, set);
        }
        Node elements = value.get("elem");
        if (elements != null) {
            set.elements().addAll(elements.list());
        }
    }

    private void flush(String kind, Node value) throws RefusedException {
        switch (kind) {
            case "ruleset" -> {
                String family = value.text("family");
                tables.values()
                        .removeIf(table -> family.isEmpty() || table.family().equals(family));
            }
            case "table" -> find(value).chains().values().forEach(chain -> chain.rules().clear());
            case "chain" -> {
                Chain chain = table(value).chains().get(value.needText("name"));
                if (chain == null) {
                    throw value.need("name").refused("is no chain; remove the line");
                }
                chain.rules().clear();
            }
            case "set", "map" -> namedSet(table(value), value).elements().clear();
            default -> throw value.at().refused(kind, "cannot be flushed; remove the line");
        }
    }

    private Table find(Node value) throws RefusedException {
        Table table = tables.get(value.needText("family") + " " + value.needText("name"));
        if (table == null) {
            throw value.need("name").refused("is no table; make it above");
        }
        return table;
    }

    private void delete(String verb, String kind, Node value) throws RefusedException {
        if (kind.equals("table")) {
            if (verb.equals("delete")) {
                find(value);
            }
            tables.remove(value.needText("family") + " " + value.needText("name"));
            return;
        }
        Table table = table(value);
        Object removed =
                switch (kind) {
                    case "chain" -> table.chains().remove(value.needText("name"));
                    case "set", "map" -> table.sets().remove(value.needText("name"));
                    case "element" -> null;
                    default -> table.objects().remove(kind + " " + value.needText("name"));
                };
        if (kind.equals("element")) {
            throw value.at()
                    .refused(
                            kind,
                            "are taken away, which Sluice does not read; judge the output of nft list ruleset");
        }
        if (removed == null && verb.equals("delete")) {
            throw value.need("name").refused("is not there; remove the line");
        }
    }

    /** All rules, each with its table. */
    List<Node> rules() {
        List<Node> all = new ArrayList<>();
        tables.values().forEach(t -> t.chains().values().forEach(c -> all.addAll(c.rules())));
        return all;
    }
}
