package dev.sluice.policy.kubernetes;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Objects of a small cluster, as trees of maps, lists, strings and numbers, drawn so that
 * selectors, blocks and ports overlap.
 */
final class RandomCluster {
    private static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist");
    private static final List<String> BLOCKS =
            List.of("10.0.0.0/24", "10.0.0.0/29", "192.0.2.0/24", "192.0.2.128/25", "0.0.0.0/0");
    private static final List<String> PARTS = List.of("10.0.0.2/31", "192.0.2.192/26");
    private static final List<String> PROTOCOLS = List.of("TCP", "UDP", "SCTP");

    private static final int NAMESPACES = 2;

    private final Random random;
    final List<Map<String, Object>> objects = new ArrayList<>();
    final List<String> addresses = new ArrayList<>();

    /** Line of each tree that is a map, in the text. */
    final Map<Object, Integer> lines = new IdentityHashMap<>();

    RandomCluster(long seed) {
        random = new Random(seed);
        for (int i = 0; i < NAMESPACES; i++) {
            Map<String, Object> labels = labels("team");
            object("v1", "Namespace", "", "ns" + i).put("labels", labels);
        }
        for (int i = 0; i < 2; i++) {
            Map<String, Object> node = object("v1", "Node", "", "node" + i);
            node.put("labels", labels("team"));
            addresses.add("10.9.0." + i);
            last().put(
                            "status",
                            map(
                                    "addresses",
                                    List.of(
                                            map("type", "InternalIP", "address", "10.9.0." + i),
                                            map("type", "Hostname", "address", "node" + i))));
        }
        for (int i = 0; i < 8; i++) {
            pod(i);
        }
        addresses.addAll(
                List.of("192.0.2.1", "192.0.2.129", "192.0.2.193", "198.51.100.1", "10.0.0.200"));
    }

    private void pod(int number) {
        boolean inHost = random.nextInt(8) == 0;
        int node = random.nextInt(2);
        Map<String, Object> metadata =
                object("v1", "Pod", "ns" + random.nextInt(NAMESPACES), "pod" + number);
        metadata.put("labels", labels("app", "tier"));
        List<Object> ports = new ArrayList<>();
        for (String name : List.of("web", "dns")) {
            if (random.nextBoolean()) {
                Map<String, Object> port =
                        map("name", name, "containerPort", 80 + random.nextInt(3));
                if (random.nextBoolean()) {
                    port.put("protocol", "UDP");
                }
                ports.add(port);
            }
        }
        last().put(
                        "spec",
                        map(
                                "containers",
                                List.of(map("name", "c", "ports", ports)),
                                "hostNetwork",
                                inHost,
                                "nodeName",
                                "node" + node));
        String address = inHost ? "10.9.0." + node : "10.0.0." + number;
        Map<String, Object> status = map("phase", "Running", "podIP", address);
        if (!inHost) {
            addresses.addAll(List.of(address, address, address));
            if (random.nextBoolean()) {
                addresses.add("fd00::" + number);
                status.put("podIPs", List.of(map("ip", address), map("ip", "fd00::" + number)));
            }
        }
        last().put("status", status);
    }

    /** Adds NetworkPolicies. */
    void addNetworkPolicies(int most) {
        for (int i = 1 + random.nextInt(most); i > 0; i--) {
            object(
                    "networking.k8s.io/v1",
                    "NetworkPolicy",
                    "ns" + random.nextInt(NAMESPACES),
                    "np" + i);
            Map<String, Object> spec = map("podSelector", selector("app", "tier"));
            if (random.nextBoolean()) {
                List<String> types = new ArrayList<>(List.of("Ingress", "Egress"));
                types.subList(0, random.nextInt(2)).clear();
                spec.put("policyTypes", types.subList(0, 1 + random.nextInt(types.size())));
            }
            for (Direction direction : Direction.values()) {
                if (random.nextInt(3) > 0) {
                    spec.put(direction.field, rules(direction, false));
                }
            }
            last().put("spec", spec);
        }
    }

    /** Adds policies of administrators. */
    void addAdminPolicies(int most) {
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            boolean baseline = i == 1;
            object(
                    "policy.networking.k8s.io/v1alpha1",
                    baseline ? "BaselineAdminNetworkPolicy" : "AdminNetworkPolicy",
                    "",
                    "anp" + i);
            Map<String, Object> spec = map("subject", adminPods());
            if (!baseline) {
                spec.put("priority", 100 - 7 * i % 5 * 10);
            }
            for (Direction direction : Direction.values()) {
                if (random.nextBoolean()) {
                    spec.put(direction.field, rules(direction, true));
                    adjust(spec.get(direction.field), baseline);
                }
            }
            last().put("spec", spec);
        }
    }

    private void adjust(Object rules, boolean baseline) {
        for (Object each : (List<?>) Objects.requireNonNull(rules)) {
            @SuppressWarnings("unchecked")
            Map<String, Object> rule = (Map<String, Object>) each;
            List<String> actions = List.of("Allow", "Deny", "Pass");
            rule.put("action", actions.get(random.nextInt(baseline ? 2 : 3)));
        }
    }

    private List<Object> rules(Direction direction, boolean admin) {
        List<Object> rules = new ArrayList<>();
        for (int i = random.nextInt(3); i >= (admin ? 0 : 1); i--) {
            Map<String, Object> rule = map();
            boolean hasBlock = false;
            if (admin || random.nextInt(4) > 0) {
                List<Object> peers = new ArrayList<>();
                for (int p = random.nextInt(3); p >= (admin ? 0 : 1); p--) {
                    Map<String, Object> peer = admin ? adminPeer(direction) : peer();
                    hasBlock |= peer.containsKey("networks") || peer.containsKey("nodes");
                    peers.add(peer);
                }
                rule.put(direction.peers, peers);
            }
            if (random.nextBoolean()) {
                List<Object> ports = new ArrayList<>();
                for (int p = random.nextInt(3); p >= 1; p--) {
                    ports.add(admin ? adminPort(hasBlock) : port());
                }
                rule.put("ports", ports);
            }
            rules.add(rule);
        }
        return rules;
    }

    private Map<String, Object> peer() {
        return switch (random.nextInt(5)) {
            case 0 -> map("podSelector", selector("app", "tier"));
            case 1 -> map("namespaceSelector", selector("team"));
            case 2 ->
                    map(
                            "namespaceSelector",
                            selector("team"),
                            "podSelector",
                            selector("app", "tier"));
            default -> {
                Map<String, Object> block = map("cidr", BLOCKS.get(random.nextInt(5)));
                if (block.get("cidr").equals("0.0.0.0/0")) {
                    block.put("except", PARTS);
                }
                yield map("ipBlock", block);
            }
        };
    }

    private Map<String, Object> adminPods() {
        return random.nextBoolean()
                ? map("namespaces", selector("team"))
                : map(
                        "pods",
                        map(
                                "namespaceSelector",
                                selector("team"),
                                "podSelector",
                                selector("app", "tier")));
    }

    private Map<String, Object> adminPeer(Direction direction) {
        int kind = direction == Direction.EGRESS ? random.nextInt(4) : 0;
        return switch (kind) {
            case 1 -> map("nodes", selector("team"));
            case 2 -> map("networks", List.of(BLOCKS.get(random.nextInt(5))));
            default -> adminPods();
        };
    }

    private Map<String, Object> port() {
        Map<String, Object> port = map();
        if (random.nextBoolean()) {
            port.put("protocol", PROTOCOLS.get(random.nextInt(3)));
        }
        switch (random.nextInt(4)) {
            case 0 -> port.put("port", random.nextBoolean() ? "web" : "dns");
            case 1 -> port.put("port", 80 + random.nextInt(3));
            case 2 -> {
                port.put("port", 80);
                port.put("endPort", 80 + random.nextInt(3));
            }
            default -> port.putIfAbsent("protocol", "TCP");
        }
        return port;
    }

    private Map<String, Object> adminPort(boolean numbersAlone) {
        return switch (random.nextInt(numbersAlone ? 2 : 3)) {
            case 0 -> map("portNumber", map("protocol", "TCP", "port", 80 + random.nextInt(3)));
            case 1 -> map("portRange", map("protocol", "UDP", "start", 80, "end", 81));
            default -> map("namedPort", random.nextBoolean() ? "web" : "dns");
        };
    }

    Map<String, Object> selector(String... keys) {
        Map<String, Object> selector = map();
        String key = keys[random.nextInt(keys.length)];
        int kind = random.nextInt(4);
        if (kind == 1 || kind == 3) {
            selector.put("matchLabels", map(key, "" + random.nextInt(2)));
        }
        if (kind >= 2) {
            String operator = OPERATORS.get(random.nextInt(4));
            Map<String, Object> asked =
                    map("key", keys[random.nextInt(keys.length)], "operator", operator);
            if (operator.endsWith("In")) {
                asked.put("values", List.of("" + random.nextInt(2), "2"));
            }
            selector.put("matchExpressions", List.of(asked));
        }
        return selector;
    }

    private Map<String, Object> labels(String... keys) {
        Map<String, Object> labels = map();
        for (String key : keys) {
            if (random.nextInt(4) > 0) {
                labels.put(key, "" + random.nextInt(2));
            }
        }
        return labels;
    }

    /** Adds an object and returns its metadata. */
    private Map<String, Object> object(String version, String kind, String namespace, String name) {
        Map<String, Object> metadata = map("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        objects.add(map("apiVersion", version, "kind", kind, "metadata", metadata));
        return metadata;
    }

    private Map<String, Object> last() {
        return objects.get(objects.size() - 1);
    }

    static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    /** The objects as YAML documents, or one list of JSON. */
    String text(boolean isJson) {
        StringBuilder text = new StringBuilder();
        if (isJson) {
            text.append("{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\":\n");
            write(objects, text, new int[] {2});
            return text.append("}\n").toString();
        }
        int[] line = {1};
        for (Map<String, Object> object : objects) {
            text.append("---\n");
            line[0]++;
            for (Map.Entry<String, Object> entry : object.entrySet()) {
                lines.putIfAbsent(object, line[0]);
                text.append(entry.getKey()).append(": ");
                write(entry.getValue(), text, line);
                text.append('\n');
                line[0]++;
            }
        }
        return text.toString();
    }

    /** Writes a tree in flow style, each map on a line of its own. */
    private void write(Object tree, StringBuilder text, int[] line) {
        if (tree instanceof Map<?, ?> map) {
            text.append("\n  {");
            lines.put(map, ++line[0]);
            String comma = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text.append(comma).append('"').append(entry.getKey()).append("\": ");
                write(Objects.requireNonNull(entry.getValue()), text, line);
                comma = ", ";
            }
            text.append('}');
        } else if (tree instanceof List<?> list) {
            text.append('[');
            String comma = "";
            for (Object each : list) {
                text.append(comma);
                write(Objects.requireNonNull(each), text, line);
                comma = ", ";
            }
            text.append(']');
        } else if (tree instanceof String) {
            text.append('"').append(tree).append('"');
        } else {
            text.append(tree);
        }
    }
}
