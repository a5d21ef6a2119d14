package dev.sluice.policy.kubernetes;

import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Object of a cluster.
 *
 * @param group API group, empty for the core
 * @param namespace as the object states it; empty: it states none
 * @param metadata its metadata
 * @param fields its fields; those of each object are taken already
 * @param node the whole object
 */
record Manifest(
        String group,
        String version,
        String kind,
        String namespace,
        String name,
        YamlFields metadata,
        YamlFields fields,
        YamlNode node) {
    private static final String LIST = "List";

    /** The objects of a document: itself, or the items of a list. */
    static List<Manifest> of(YamlNode document) throws YamlException {
        YamlFields fields = YamlFields.of(document);
        if (fields.take("kind") == null && fields.take("apiVersion") == null) {
            throw document.at()
                    .refused(
                            document.words(),
                            "is no object of Kubernetes, which has apiVersion and kind; leave it out");
        }
        name(fields);
        String kind = fields.requireString("kind");
        String apiVersion = fields.requireString("apiVersion");
        YamlNode items = fields.take("items");
        if (!kind.endsWith(LIST) || items == null) {
            return List.of(object(document, null, null));
        }
        String ofItems = kind.substring(0, kind.length() - LIST.length());
        List<Manifest> objects = new ArrayList<>();
        for (YamlNode item : items.values()) {
            objects.add(
                    ofItems.isEmpty()
                            ? object(item, null, null)
                            : object(item, ofItems, apiVersion));
        }
        return objects;
    }

    /** Has refusals name an object by its kind and name. */
    private static void name(YamlFields fields) throws YamlException {
        YamlNode kind = fields.take("kind");
        YamlFields metadata = fields.fields("metadata");
        String name = metadata == null ? null : metadata.string("name");
        fields.named((kind == null ? "object" : kind.words()) + (name == null ? "" : " " + name));
    }

    /** An object; kind and version may be those that its list states for all. */
    private static Manifest object(
            YamlNode node, @Nullable String listed, @Nullable String listedVersion)
            throws YamlException {
        YamlFields fields = YamlFields.of(node);
        name(fields);
        String own = listed == null ? fields.requireString("kind") : fields.string("kind");
        String ownVersion =
                listed == null ? fields.requireString("apiVersion") : fields.string("apiVersion");
        String kind = own == null ? Objects.requireNonNull(listed) : own;
        String apiVersion = ownVersion == null ? Objects.requireNonNull(listedVersion) : ownVersion;
        if (kind.endsWith(LIST) && fields.take("items") != null) {
            throw node.at().refused(kind, "is a list in a list; write its items there");
        }
        YamlFields metadata = YamlFields.of(fields.require("metadata"));
        String namespace = metadata.string("namespace");
        String name = metadata.string("name");
        int slash = apiVersion.indexOf('/');
        return new Manifest(
                slash < 0 ? "" : apiVersion.substring(0, slash),
                apiVersion.substring(slash + 1),
                kind,
                namespace == null ? "" : namespace,
                name == null ? "" : name,
                metadata,
                fields,
                node);
    }

    /** Place of the object. */
    YamlPosition at() {
        return node.at();
    }

    Map<String, String> labels() throws YamlException {
        return metadata.strings("labels");
    }

    /** Its namespace, that of kubectl where it states none. */
    String namespaceOrDefault() {
        return namespace.isEmpty() ? "default" : namespace;
    }

    /** Kind and names, for messages and rules. */
    String words() {
        return kind + " " + path();
    }

    /** Namespace and name. */
    String path() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /** Namespace and name, with the network plugin whose kind of policy it is. */
    String policyPath() {
        return (group.contains("calico") ? "calico " : group.contains("cilium") ? "cilium " : "")
                + path();
    }

    /** Refuses versions of the API that Sluice does not know. */
    void requireVersion(String known) throws YamlException {
        if (!version.equals(known)) {
            throw at().refused(
                            version,
                            "is a version of %s that Sluice does not read; convert the object to %s/%s"
                                    .formatted(kind, group, known));
        }
    }
}
