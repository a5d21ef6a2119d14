package dev.sluice.policy.anonymize;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlText;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names in objects of a Kubernetes cluster, of which it keeps the fields that policies and their
 * selectors ask for, as JSON. Images, environments, annotations and secrets are left out.
 */
final class ManifestNames {
    /** Fields that are kept of every object, of objects that policies select, and of policies. */
    private static final Pattern KEPT =
            Pattern.compile(
                    "\\w+/(apiVersion|kind|metadata/(name|namespace|labels(/.*)?))"
                            + "|Pod/spec/(nodeName|hostNetwork|serviceAccountName"
                            + "|(containers|initContainers)/(restartPolicy|ports(/.*)?))"
                            + "|Pod/status/(phase|podIP|hostIP|podIPs/ip|hostIPs/ip)"
                            + "|Node/status/addresses(/.*)?"
                            + "|Service/spec/(clusterIP|clusterIPs|externalIPs|ports/(nodePort|protocol))"
                            + "|Service/status/loadBalancer/ingress/ip"
                            + "|(\\w*NetworkPolicy|\\w*NetworkSet|Tier)/specs?(/.*)?");

    /** Fields whose values are words of Kubernetes and its plugins. */
    private static final Set<String> OF_LANGUAGE =
            Set.of(
                    ("apiVersion kind policyTypes types protocol notProtocol operator action phase type restartPolicy"
                                    + " fromEntities toEntities family defaultAction method")
                            .split(" "));

    private static final Set<String> SELECTORS =
            Set.of("selector", "notSelector", "namespaceSelector", "serviceAccountSelector");

    /** Prefixes that a plugin puts before a label. */
    private static final Pattern PREFIX =
            Pattern.compile(
                    "((k8s|any|reserved):)?(io\\.cilium\\.k8s\\.namespace\\.labels\\.)?|(kns|ksa)\\.");

    private static final Pattern KNOWN_LABEL =
            Pattern.compile(
                    "((k8s|any|reserved):)?(kubernetes\\.io/metadata\\.name|io\\.kubernetes\\.pod\\.namespace|io\\.cilium\\..*"
                            + "|projectcalico\\.org/.*|projectcalico-default-allow|k8s-app)");

    private static final Pattern WORD_OF_SELECTOR =
            Pattern.compile("'[^']*'|\"[^\"]*\"|[a-zA-Z0-9_./-]+");

    /** An address, a block of addresses, ports. */
    private static final Pattern ADDRESS =
            Pattern.compile(
                    "([0-9.]+|[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(/[0-9]+)?|[0-9:]+|None");

    private static final Pattern OPERATOR = Pattern.compile("has|all|global|in|not|starts|with");

    private final AddressCipher addresses;
    private final WordCipher words;

    ManifestNames(byte[] key, AddressCipher addresses) {
        this.addresses = addresses;
        words = new WordCipher(key, Set.of("default", "k8s", "cilium", "calico-node"));
    }

    /** The objects of a text under other names. */
    List<String> of(String file, String text) {
        StringWriter lines = new StringWriter();
        try {
            List<YamlNode> documents = YamlText.read(file, text, Set.of("managedFields"));
            try (JsonGenerator out = new JsonFactory().createGenerator(lines)) {
                out.useDefaultPrettyPrinter();
                out.writeStartObject();
                out.writeStringField("apiVersion", "v1");
                out.writeStringField("kind", "List");
                out.writeArrayFieldStart("items");
                for (YamlNode each : documents) {
                    document(out, each);
                }
                out.writeEndArray();
                out.writeEndObject();
            }
        } catch (YamlException e) {
            throw new SluiceException(
                    "%s:%d:%d: %s"
                            .formatted(e.file(), e.line(), e.defect().column(), e.getMessage()),
                    e);
        } catch (IOException e) {
            throw new IllegalStateException("a text takes all that is written", e);
        }
        return lines.toString().lines().toList();
    }

    /** Writes the objects of a document, which may be a list of them. */
    private void document(JsonGenerator out, YamlNode document) throws IOException, YamlException {
        YamlNode items = field(document, "items");
        YamlNode kind = field(document, "kind");
        String of = kind == null ? "" : kind.string();
        if (items == null || !of.endsWith("List")) {
            value(out, document, of, "");
            return;
        }
        for (YamlNode each : items.values()) {
            YamlNode own = field(each, "kind");
            if (own == null) {
                throw each.at()
                        .refused(
                                of,
                                "has objects without a kind; dump them by: kubectl get -o yaml");
            }
            value(out, each, own.string(), "");
        }
    }

    private static @Nullable YamlNode field(YamlNode of, String key) {
        if (of instanceof YamlNode.Mapping map) {
            for (YamlNode.Entry each : map.entries()) {
                if (each.key().text().equals(key)) {
                    return each.value();
                }
            }
        }
        return null;
    }

    /**
     * Writes a value.
     *
     * @param path kind of its object, and the keys before it
     * @param key its own, or that of its list
     */
    private void value(JsonGenerator out, YamlNode node, String path, String key)
            throws IOException, YamlException {
        if (node instanceof YamlNode.Sequence list) {
            out.writeStartArray();
            for (YamlNode each : list.values()) {
                value(out, each, path, key);
            }
            out.writeEndArray();
        } else if (node instanceof YamlNode.Mapping map) {
            out.writeStartObject();
            for (YamlNode.Entry each : map.entries()) {
                String text = each.key().text();
                String longer = path + "/" + text;
                Matcher kept = KEPT.matcher(longer);
                if (kept.matches() || kept.hitEnd()) {
                    boolean label = key.equals("labels") || key.equals("matchLabels");
                    out.writeFieldName(label ? label(text) : text);
                    value(out, each.value(), longer, label ? "" : text);
                }
            }
            out.writeEndObject();
        } else if (node instanceof YamlNode.Scalar scalar) {
            scalar(out, scalar, key);
        }
    }

    private void scalar(JsonGenerator out, YamlNode.Scalar scalar, String key)
            throws IOException, YamlException {
        String text = scalar.text();
        if (YamlNode.isAbsent(scalar)) {
            out.writeNull();
        } else if (scalar.plain() && text.matches("true|false")) {
            out.writeBoolean(text.equals("true"));
        } else if (scalar.plain() && text.matches("-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,15})?")) {
            out.writeNumber(text);
        } else if (OF_LANGUAGE.contains(key)) {
            out.writeString(scalar.string());
        } else {
            out.writeString(
                    SELECTORS.contains(key)
                            ? selector(scalar)
                            : key.equals("key") ? label(scalar.string()) : word(scalar.string()));
        }
    }

    /** A word of people, or an address. */
    private String word(String text) {
        return ADDRESS.matcher(text).matches() ? addresses.of(text) : label(text);
    }

    private String label(String text) {
        if (KNOWN_LABEL.matcher(text).matches()) {
            return text;
        }
        Matcher prefix = PREFIX.matcher(text);
        int own = prefix.lookingAt() ? prefix.end() : 0;
        return text.substring(0, own) + words.of(text.substring(own));
    }

    /** A selector of Calico. */
    private String selector(YamlNode.Scalar scalar) throws YamlException {
        StringBuilder other = new StringBuilder();
        Matcher word = WORD_OF_SELECTOR.matcher(scalar.string());
        while (word.find()) {
            String text = word.group();
            if (text.equals("contains") || text.equals("ends")) {
                throw scalar.at()
                        .refused(text, "asks for a part of a name; replace the names by hand");
            }
            char quote = text.charAt(0);
            boolean quoted = quote == '\'' || quote == '"';
            String replaced =
                    quoted
                            ? quote + label(text.substring(1, text.length() - 1)) + quote
                            : OPERATOR.matcher(text).matches() ? text : label(text);
            word.appendReplacement(other, Matcher.quoteReplacement(replaced));
        }
        return word.appendTail(other).toString();
    }
}
