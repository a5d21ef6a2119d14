package dev.sluice.policy.kubernetes;

import dev.sluice.policy.yaml.AddressSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pod that has addresses.
 *
 * @param path namespace and name
 * @param hostNetwork whether it shares the network of its node, and so its addresses
 * @param node name of its node; empty: none is known
 * @param hosts addresses of its node
 */
record Pod(
        YamlPosition at,
        String namespace,
        String path,
        Map<String, String> labels,
        AddressSet addresses,
        boolean hostNetwork,
        String node,
        AddressSet hosts,
        String serviceAccount,
        List<Port> ports) {
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    /**
     * Port of a container.
     *
     * @param name empty: it has none
     * @param hostPort port of its node that stands for it; 0: none
     * @param isSidecars whether the container is a sidecar (an init container that keeps running),
     *     whose ports some network plugins do not know
     */
    record Port(String name, Protocol protocol, int number, int hostPort, boolean isSidecars) {}

    /** Reads a pod; null: it sends and receives nothing, since it has no address or has ended. */
    static @Nullable Pod of(Manifest manifest) throws YamlException {
        YamlFields status = manifest.fields().fields("status");
        if (status == null) {
            return null;
        }
        String phase = status.string("phase");
        AddressSet addresses = addresses(status, "podIP", "podIPs");
        if (addresses.isEmpty() || phase != null && ENDED.contains(phase)) {
            return null;
        }
        YamlFields spec = YamlFields.of(manifest.fields().require("spec"));
        String node = spec.string("nodeName");
        String account = spec.string("serviceAccountName");
        return new Pod(
                manifest.at(),
                manifest.namespaceOrDefault(),
                manifest.namespaceOrDefault() + "/" + manifest.name(),
                manifest.labels(),
                addresses,
                spec.flag("hostNetwork"),
                node == null ? "" : node,
                addresses(status, "hostIP", "hostIPs"),
                account == null ? "default" : account,
                ports(spec));
    }

    private static AddressSet addresses(YamlFields status, String one, String several)
            throws YamlException {
        AddressSet all = AddressSet.NONE;
        YamlNode single = status.take(one);
        if (single != null && !single.string().isEmpty()) {
            all = AddressSet.address(single);
        }
        for (YamlNode each : status.list(several)) {
            all = all.or(AddressSet.address(YamlFields.of(each).require("ip")));
        }
        return all;
    }

    private static List<Port> ports(YamlFields spec) throws YamlException {
        List<Port> ports = new ArrayList<>();
        for (YamlNode container : spec.list("containers")) {
            add(YamlFields.of(container), false, ports);
        }
        for (YamlNode container : spec.list("initContainers")) {
            YamlFields fields = YamlFields.of(container);
            if (Objects.equals(fields.string("restartPolicy"), "Always")) {
                add(fields, true, ports);
            }
        }
        return List.copyOf(ports);
    }

    private static void add(YamlFields container, boolean isSidecar, List<Port> ports)
            throws YamlException {
        for (YamlNode each : container.list("ports")) {
            YamlFields port = YamlFields.of(each);
            String name = port.string("name");
            Integer number = port.number("containerPort", 1, 0xffff);
            Integer hostPort = port.number("hostPort", 0, Protocol.MOST_PORT);
            if (number != null) {
                ports.add(
                        new Port(
                                name == null ? "" : name,
                                Protocol.of(port.take("protocol")),
                                number,
                                hostPort == null ? 0 : hostPort,
                                isSidecar));
            }
        }
    }

    /** Its addresses, one by one. */
    List<AddressSet> each() {
        return addresses.each();
    }
}
