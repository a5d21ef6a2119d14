package dev.sluice.job.cli;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Host;
import dev.sluice.policy.model.ValueSet;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reader of what {@code ip -j addr} and {@code ip -j route} print, one behind the other, in one
 * file or several.
 */
final class HostFile {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<Host.Address> addresses = new ArrayList<>();
    private final List<Host.Link> links = new ArrayList<>();
    private final List<Host.Route> routes = new ArrayList<>();

    /** Least metric of the routes to each destination. */
    private final Map<String, Long> metrics = new HashMap<>();

    /**
     * Reads files.
     *
     * @throws SluiceException naming what is none of these, or if no address is there
     */
    static Host read(List<Path> files) {
        HostFile host = new HostFile();
        for (Path file : files) {
            try (InputStream in = Files.newInputStream(file);
                    JsonParser parser = JSON.createParser(in)) {
                while (parser.nextToken() != null) {
                    JsonNode part = parser.readValueAsTree();
                    for (JsonNode entry : part) {
                        host.add(file, entry);
                    }
                }
            } catch (JacksonException e) {
                throw new SluiceException(
                        "%s: is no JSON (%s); name the file that this writes: (ip -j addr; ip -j route; ip -6 -j route) > host.json"
                                .formatted(file, e.getOriginalMessage()),
                        e);
            } catch (IOException e) {
                throw new SluiceException(TextFiles.describe("host file", file, e), e);
            }
        }
        if (host.addresses.isEmpty()) {
            throw new SluiceException(
                    "%s: holds no address of an interface; add the output of ip -j addr"
                            .formatted(files.get(0)));
        }
        return new Host(host.addresses, host.routes, host.links);
    }

    private void add(Path file, JsonNode entry) {
        try {
            if (entry.has("addr_info")) {
                links.add(
                        new Host.Link(
                                entry.path("ifindex").asInt(),
                                entry.path("ifname").asText(),
                                entry.path("master").asText(),
                                entry.path("link").asText()));
                for (JsonNode address : entry.get("addr_info")) {
                    addAddress(entry.path("ifname").asText(), address);
                }
            } else if (entry.has("dst")) {
                addRoute(entry);
            } else if (!entry.isEmpty()) {
                throw new SluiceException(
                        "%s: is neither the output of ip -j addr nor that of ip -j route: %s"
                                .formatted(file, entry.toString()));
            }
        } catch (RuleSyntaxException e) {
            throw new SluiceException(file + ": " + e.getMessage(), e);
        }
    }

    private void addAddress(String device, JsonNode entry) throws RuleSyntaxException {
        if (!entry.has("local")) {
            return;
        }
        String text = entry.get("local").asText();
        boolean v6 = text.indexOf(':') >= 0;
        BigInteger value = address(text, v6);
        int free = (v6 ? 128 : 32) - entry.path("prefixlen").asInt(v6 ? 128 : 32);
        BigInteger network = value.shiftRight(free).shiftLeft(free);
        BigInteger broadcast =
                entry.has("broadcast") ? address(entry.get("broadcast").asText(), v6) : null;
        addresses.add(new Host.Address(v6, device, value, network, broadcast));
    }

    private void addRoute(JsonNode entry) throws RuleSyntaxException {
        String table = entry.path("table").asText("main");
        if (!table.equals("main") && !table.equals("254")) {
            return; // of policy routing, or addresses again
        }
        String text = entry.get("dst").asText();
        boolean v6 = isV6(text, entry);
        int bits = v6 ? 128 : 32;
        int slash = text.indexOf('/');
        boolean all = text.equals("default");
        BigInteger to =
                all ? BigInteger.ZERO : address(slash < 0 ? text : text.substring(0, slash), v6);
        int length =
                all
                        ? 0
                        : slash < 0
                                ? bits
                                : Literals.prefixLength(text.substring(slash + 1), 1, bits);
        BigInteger last = to.add(BigInteger.ONE.shiftLeft(bits - length)).subtract(BigInteger.ONE);
        Set<String> devices = new HashSet<>();
        if (entry.has("dev")) {
            devices.add(entry.get("dev").asText());
        }
        entry.path("nexthops").forEach(hop -> devices.add(hop.path("dev").asText()));
        addRoute(new Host.Route(v6, new ValueSet.Range(to, last), devices), metric(entry));
    }

    private static long metric(JsonNode entry) {
        return entry.path("metric").asLong(0);
    }

    /** Adds a route in place of those to the same destination with a greater metric. */
    private void addRoute(Host.Route route, long metric) {
        String key = route.v6() + " " + route.destinations();
        Long least = metrics.get(key);
        if (least != null && least < metric) {
            return;
        }
        Set<String> devices = new HashSet<>(route.devices());
        if (least != null) {
            for (Host.Route other : List.copyOf(routes)) {
                if (other.v6() == route.v6() && other.destinations().equals(route.destinations())) {
                    routes.remove(other);
                    devices.addAll(least == metric ? other.devices() : Set.of());
                }
            }
        }
        metrics.put(key, metric);
        routes.add(new Host.Route(route.v6(), route.destinations(), devices));
    }

    /** A default route states its version by its next hop or by a preference, which IPv6 has. */
    private static boolean isV6(String destination, JsonNode entry) {
        return destination.indexOf(':') >= 0
                || entry.path("gateway").asText().indexOf(':') >= 0
                || destination.equals("default") && entry.has("pref");
    }

    private static BigInteger address(@Nullable String text, boolean v6)
            throws RuleSyntaxException {
        String words = text == null ? "" : text;
        return v6
                ? new BigInteger(1, Literals.ipv6(words, 1))
                : BigInteger.valueOf(Literals.ipv4(words, 1) & 0xffffffffL);
    }
}
