package dev.sluice.policy.yaml;

import dev.sluice.policy.yaml.YamlNode.Entry;
import dev.sluice.policy.yaml.YamlNode.Mapping;
import dev.sluice.policy.yaml.YamlNode.Scalar;
import dev.sluice.policy.yaml.YamlNode.Sequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Documents of a YAML or JSON text. A document needs no recursion, so that deep nesting is a defect
 * like others.
 */
public final class YamlText {
    /** Most collections around a node. */
    private static final int MOST_DEPTH = 100;

    /** Most nodes that the aliases of a text stand for, each a copy. */
    private static final long MOST_COPIES = 1_000_000;

    private final String file;
    private final Set<String> dropped;
    private final List<YamlNode> documents = new ArrayList<>();
    private final Map<Anchor, YamlNode> anchors = new HashMap<>();
    private final Deque<Open> open = new ArrayDeque<>();
    private long copies;

    /** A collection whose end is to come. */
    private static final class Open {
        final YamlPosition at;
        final boolean isMapping;
        final Optional<Anchor> anchor;
        final List<YamlNode> values = new ArrayList<>();
        final List<Entry> entries = new ArrayList<>();
        final Set<String> keys = new HashSet<>();
        @Nullable Scalar key;
        long size = 1;

        Open(YamlPosition at, boolean isMapping, Optional<Anchor> anchor) {
            this.at = at;
            this.isMapping = isMapping;
            this.anchor = anchor;
        }

        YamlNode close() {
            return isMapping
                    ? new Mapping(at, List.copyOf(entries), size)
                    : new Sequence(at, List.copyOf(values), size);
        }
    }

    private YamlText(String file, Set<String> dropped) {
        this.file = file;
        this.dropped = dropped;
    }

    /**
     * Reads the documents of a text, without those that hold nothing.
     *
     * @param dropped keys whose lists and mappings are not kept, to save memory
     */
    public static List<YamlNode> read(String file, String text, Set<String> dropped)
            throws YamlException {
        LoadSettings settings =
                LoadSettings.builder()
                        .setLabel(file)
                        .setCodePointLimit(Integer.MAX_VALUE)
                        .setParseComments(false)
                        .build();
        boolean isJson = text.stripLeading().startsWith("{"); // where tabs are blanks
        YamlText reading = new YamlText(file, dropped);
        try {
            for (Event event :
                    new Parse(settings).parseString(isJson ? text.replace('\t', ' ') : text)) {
                reading.take(event);
            }
        } catch (MarkedYamlEngineException e) {
            throw reading.position(e.getProblemMark())
                    .refused(
                            String.valueOf(e.getProblem()).replaceAll("\\s+", " "),
                            "makes the text no YAML; check quotes, brackets and indentation there");
        } catch (ReaderException e) {
            String before = text.substring(0, Math.min(e.getPosition(), text.length()));
            int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
            throw new YamlPosition(file, line, before.length() - before.lastIndexOf('\n'))
                    .refused("U+%04X".formatted(e.getCodePoint()), "is no character of YAML");
        } catch (YamlEngineException e) {
            throw new YamlPosition(file, 1, 1)
                    .refused(String.valueOf(e.getMessage()), "makes the text no YAML; check it");
        }
        return reading.documents;
    }

    private YamlPosition position(Optional<Mark> mark) {
        return new YamlPosition(
                file,
                mark.map(Mark::getLine).orElse(0) + 1,
                mark.map(Mark::getColumn).orElse(0) + 1);
    }

    private void take(Event event) throws YamlException {
        YamlPosition at = position(event.getStartMark());
        if (event instanceof DocumentStartEvent || event instanceof DocumentEndEvent) {
            anchors.clear();
        } else if (event instanceof CollectionStartEvent start) {
            requireTag(at, start.getTag());
            if (open.size() >= MOST_DEPTH) {
                throw at.refused(
                        "nesting", "is deeper than %d levels; write it flat".formatted(MOST_DEPTH));
            }
            requireKeyBefore(start);
            open.push(new Open(at, start instanceof MappingStartEvent, start.getAnchor()));
        } else if (event instanceof CollectionEndEvent) {
            Open closed = open.pop();
            add(closed.close(), closed.anchor);
        } else if (event instanceof ScalarEvent scalar) {
            requireTag(at, scalar.getTag());
            boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
            boolean typed = scalar.getTag().filter(tag -> tag.endsWith(":str")).isPresent();
            add(new Scalar(at, scalar.getValue(), plain && !typed), scalar.getAnchor());
        } else if (event instanceof AliasEvent alias) {
            YamlNode node = anchors.get(alias.getAlias());
            if (node == null) {
                throw at.refused("*" + alias.getAlias(), "has no anchor that ends before it");
            }
            copies += node.size();
            if (copies > MOST_COPIES) {
                throw at.refused(
                        "*" + alias.getAlias(),
                        "makes more than %,d copies of nodes; write fewer aliases"
                                .formatted(MOST_COPIES));
            }
            add(node, Optional.empty());
        }
    }

    private static void requireTag(YamlPosition at, Optional<String> tag) throws YamlException {
        if (tag.isPresent()
                && !tag.get().matches("tag:yaml\\.org,2002:(str|int|bool|null|map|seq)|!")) {
            throw at.refused(tag.get(), "is a tag that Sluice does not read; leave it out");
        }
    }

    /** Refuses a collection that is a key. */
    private void requireKeyBefore(NodeEvent event) throws YamlException {
        Open around = open.peek();
        if (around != null && around.isMapping && around.key == null) {
            throw position(event.getStartMark())
                    .refused("key", "is a collection; write a word as key");
        }
    }

    private void add(YamlNode node, Optional<Anchor> anchor) throws YamlException {
        anchor.ifPresent(name -> anchors.put(name, node));
        Open around = open.peek();
        if (around == null) {
            if (!YamlNode.isAbsent(node)) {
                documents.add(node);
            }
            return;
        }
        around.size += node.size();
        if (!around.isMapping) {
            around.values.add(node);
        } else if (around.key == null) {
            around.key = key(node, around.keys);
        } else {
            if (node instanceof Scalar || !dropped.contains(around.key.text())) {
                around.entries.add(new Entry(around.key, node));
            }
            around.key = null;
        }
    }

    private static Scalar key(YamlNode node, Set<String> keys) throws YamlException {
        if (!(node instanceof Scalar key)) {
            throw node.at().refused(node.words(), "is no key; write a word");
        }
        if (key.plain() && key.text().equals("<<")) {
            throw key.at().refused("<<", "merges mappings, which YAML 1.2 has not; write the keys");
        }
        if (!keys.add(key.text())) {
            throw key.at().refused(key.text(), "stands twice in one mapping; remove one");
        }
        return key;
    }
}
