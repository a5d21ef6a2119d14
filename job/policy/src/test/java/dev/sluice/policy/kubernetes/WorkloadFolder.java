package dev.sluice.policy.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Folder of manifests as people write them before they run: workloads become pods with addresses,
 * of both IP versions, as a dump of their cluster would have them.
 */
final class WorkloadFolder {
    private static final Set<String> POLICIES =
            Set.of("NetworkPolicy", "AdminNetworkPolicy", "BaselineAdminNetworkPolicy");

    /** Kinds of networks that pods have instead of the cluster's. */
    private static final Set<String> NETWORKS =
            Set.of("UserDefinedNetwork", "ClusterUserDefinedNetwork");

    /** Labels from which Sluice tells the network plugin, of which np-guard knows none. */
    private static final Set<String> AGENTS = Set.of("calico-node", "cilium");

    private static final Pattern BLOCK = Pattern.compile("\\d+(?:\\.\\d+){3}/\\d+");

    private final List<Map<String, Object>> objects = new ArrayList<>();
    private final Set<String> namespaces = new LinkedHashSet<>();

    /** Workloads, by the name that np-guard gives them. */
    final Map<String, Workload> workloads = new TreeMap<>();

    /** Numbers of ports that policies and containers name, and the numbers behind each. */
    final Set<Integer> ports = new TreeSet<>();

    /** First addresses of the blocks that policies name, and the addresses behind each. */
    final Set<Long> bounds = new TreeSet<>();

    /** Whether policies name blocks of IPv6, which np-guard leaves out. */
    boolean hasV6Blocks;

    /** Kinds of all objects. */
    final Set<String> kinds = new TreeSet<>();

    /** A workload, of which one pod stands for all. */
    record Workload(String name, String v4, String v6, boolean hostNetwork) {}

    /** Numbers of workloads by their names, which tell their addresses. */
    private final Map<String, Integer> numbers;

    WorkloadFolder(Path folder) throws IOException {
        this(folder, new TreeMap<>());
    }

    /** A folder whose workloads have the addresses of those of the same names in others. */
    WorkloadFolder(Path folder, Map<String, Integer> numbers) throws IOException {
        this.numbers = numbers;
        ports.add(1);
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files =
                    walk.filter(file -> file.toString().matches(".*\\.(ya?ml|json)"))
                            .sorted()
                            .toList();
        }
        for (Path file : files) {
            read(Files.readString(file));
        }
        for (String each : namespaces) {
            add("v1", "Namespace", new TreeMap<>(Map.of("name", each)));
        }
    }

    private void read(String text) {
        try {
            Load load = new Load(LoadSettings.builder().setAllowDuplicateKeys(true).build());
            for (Object document : load.loadAllFromString(text)) {
                if (document instanceof Map<?, ?>) {
                    take(map(document), null);
                }
            }
        } catch (YamlEngineException e) {
            kinds.add("no YAML"); // np-guard goes on, too, and says so
        }
    }

    private void take(Map<String, Object> object, @Nullable String listed) {
        String kind = String.valueOf(object.getOrDefault("kind", listed));
        kinds.add(kind);
        if (kind.endsWith("List") && object.get("items") instanceof List<?> items) {
            String each = kind.equals("List") ? null : kind.substring(0, kind.length() - 4);
            for (Object item : items) {
                Map<String, Object> copy = map(item);
                copy.putIfAbsent("apiVersion", object.get("apiVersion"));
                take(copy, each);
            }
            return;
        }
        object.putIfAbsent("kind", kind);
        Map<String, Object> metadata = map(object.get("metadata"));
        Map<String, Object> spec = map(object.get("spec"));
        if (POLICIES.contains(kind)) {
            object.remove("status");
            objects.add(object);
            complete(spec);
            collect(spec);
        } else if (NETWORKS.contains(kind)) {
            objects.add(object);
        } else if (kind.equals("Namespace")) {
            String name = String.valueOf(metadata.get("name"));
            namespaces.remove(name);
            if (objects.stream().noneMatch(known -> isNamespace(known, name))) {
                object.keySet().retainAll(Set.of("apiVersion", "kind", "metadata"));
                objects.add(object);
            }
        } else if (kind.equals("Pod")) {
            Map<String, Object> status = map(object.get("status"));
            if (status.containsKey("hostIP") && status.containsKey("podIPs")) {
                owned(metadata, spec);
            }
        } else if (kind.equals("VirtualMachineInstance")) {
            pod(metadata, kind, map(metadata.get("labels")), spec);
        } else {
            Map<String, Object> job = map(map(spec.get("jobTemplate")).get("spec"));
            Map<String, Object> template = map((job.isEmpty() ? spec : job).get("template"));
            if (template.containsKey("spec")) {
                Map<String, Object> labels = map(map(template.get("metadata")).get("labels"));
                pod(metadata, kind, labels, map(template.get("spec")));
            }
        }
    }

    private static boolean isNamespace(Map<String, Object> object, String name) {
        return "Namespace".equals(object.get("kind"))
                && name.equals(map(object.get("metadata")).get("name"));
    }

    /** Takes a pod, which is named by the workload that controls it. */
    private void owned(Map<String, Object> metadata, Map<String, Object> spec) {
        Map<String, Object> names = metadata;
        String kind = "Pod";
        for (Object each : list(metadata.get("ownerReferences"))) {
            Map<String, Object> owner = map(each);
            if (Boolean.TRUE.equals(owner.get("controller")) && !"Node".equals(owner.get("kind"))) {
                kind = String.valueOf(owner.get("kind"));
                names = new TreeMap<>(metadata);
                names.put("name", owner.get("name"));
            }
        }
        pod(names, kind, map(metadata.get("labels")), spec);
    }

    private void pod(
            Map<String, Object> names,
            String kind,
            Map<String, Object> labels,
            Map<String, Object> spec) {
        String namespace = String.valueOf(names.getOrDefault("namespace", "default"));
        String name = "%s/%s[%s]".formatted(namespace, names.get("name"), kind);
        if (workloads.containsKey(name)) {
            return;
        }
        int number = numbers.computeIfAbsent(name, none -> numbers.size() + 1);
        String v4 = "250.77.%d.%d".formatted(number >> 8, number & 0xff);
        Workload workload =
                new Workload(
                        name,
                        v4,
                        "fd5c:77::" + Integer.toHexString(number),
                        Boolean.TRUE.equals(spec.get("hostNetwork")));
        workloads.put(name, workload);
        if (objects.stream().noneMatch(known -> isNamespace(known, namespace))) {
            namespaces.add(namespace);
        }
        Map<String, Object> metadata = new TreeMap<>();
        metadata.put("name", names.get("name") + "-" + number);
        metadata.put("namespace", namespace);
        Map<String, Object> told = new TreeMap<>(labels);
        told.values().removeIf(AGENTS::contains);
        metadata.put("labels", told);
        Map<String, Object> pod = add("v1", "Pod", metadata);
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("hostNetwork", workload.hostNetwork);
        own.put("containers", ports(spec.get("containers")));
        pod.put("spec", own);
        pod.put("status", Map.of("podIPs", List.of(Map.of("ip", v4), Map.of("ip", workload.v6))));
        collect(own);
    }

    private static List<Object> ports(@Nullable Object containers) {
        List<Object> kept = new ArrayList<>();
        for (Object container : list(containers)) {
            kept.add(Map.of("ports", list(map(container).get("ports"))));
        }
        return kept;
    }

    private Map<String, Object> add(String version, String kind, Map<String, Object> metadata) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("apiVersion", version);
        object.put("kind", kind);
        object.put("metadata", metadata);
        objects.add(object);
        return object;
    }

    /** Adds the selectors that np-guard takes for empty and Kubernetes demands. */
    private static void complete(@Nullable Object tree) {
        if (tree instanceof Map<?, ?>) {
            Map<String, Object> map = map(tree);
            if (map.get("pods") instanceof Map<?, ?> pods) {
                map(pods).putIfAbsent("namespaceSelector", Map.of());
                map(pods).putIfAbsent("podSelector", Map.of());
            }
            map.values().forEach(WorkloadFolder::complete);
        } else if (tree instanceof List<?> list) {
            list.forEach(WorkloadFolder::complete);
        }
    }

    /** Collects the ports and blocks that stand anywhere in a tree. */
    private void collect(@Nullable Object tree) {
        if (tree instanceof Map<?, ?> map) {
            map.values().forEach(this::collect);
        } else if (tree instanceof List<?> list) {
            list.forEach(this::collect);
        } else if (tree instanceof Integer port && port > 0 && port <= ReachedPorts.MOST) {
            ports.add(port);
            if (port < ReachedPorts.MOST) {
                ports.add(port + 1);
            }
        } else if (tree instanceof String text) {
            hasV6Blocks |= text.matches("[0-9a-f]*:[0-9a-f:]*/\\d+");
            Matcher block = BLOCK.matcher(text);
            if (block.matches()) {
                int slash = text.indexOf('/');
                int free = 32 - Integer.parseInt(text.substring(slash + 1));
                long low = address(text.substring(0, slash)) >> free << free;
                bounds.add(low);
                bounds.add(low + (1L << free));
            }
        }
    }

    /** The number of an IPv4 address. */
    static long address(String text) {
        long number = 0;
        for (String each : text.split("\\.")) {
            number = number << 8 | Integer.parseInt(each);
        }
        return number;
    }

    /** The cluster's objects, as a dump has them. */
    String text() {
        StringBuilder text = new StringBuilder();
        for (Map<String, Object> object : objects) {
            text.append("---\n");
            write(object, text);
            text.append('\n');
        }
        return text.toString();
    }

    private static void write(@Nullable Object tree, StringBuilder text) {
        if (tree instanceof Map<?, ?> map) {
            String comma = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text.append(comma).append('"').append(entry.getKey()).append("\": ");
                write(entry.getValue(), text);
                comma = ", ";
            }
            text.append(map.isEmpty() ? "{}" : "}");
        } else if (tree instanceof List<?> list) {
            String comma = "[";
            for (Object each : list) {
                text.append(comma);
                write(each, text);
                comma = ", ";
            }
            text.append(list.isEmpty() ? "[]" : "]");
        } else if (tree instanceof String string) {
            text.append('"')
                    .append(string.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"))
                    .append('"');
        } else {
            text.append(tree);
        }
    }

    @SuppressWarnings("unchecked") // keys of manifests are strings
    private static Map<String, Object> map(@Nullable Object tree) {
        return tree instanceof Map<?, ?> map ? (Map<String, Object>) map : new LinkedHashMap<>();
    }

    private static List<Object> list(@Nullable Object tree) {
        return tree instanceof List<?> list ? new ArrayList<>(list) : List.of();
    }
}
