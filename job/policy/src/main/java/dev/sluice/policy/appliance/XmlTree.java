package dev.sluice.policy.appliance;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reader of XML as a tree of settings. Nothing outside the text is read. */
public final class XmlTree {
    private XmlTree() {}

    /**
     * The settings of a text: an element by its name, or by its attribute {@code name} if it is an
     * {@code entry}; its text, or that of a {@code member}, as a value. A defect is reported.
     */
    public static ConfigNode read(RuleReading in, String text) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        ConfigNode root = new ConfigNode("", 1, 1);
        List<String> lines = text.lines().toList();
        try {
            read(factory.createXMLStreamReader(new StringReader(text)), lines, root);
        } catch (XMLStreamException e) {
            Location at = e.getLocation();
            int line = at == null ? 1 : Math.max(1, at.getLineNumber());
            int column = at == null ? 1 : Math.max(1, at.getColumnNumber());
            in.defect(
                    line,
                    new RuleSyntaxException(
                            column,
                            words(lines, line),
                            "is no XML; export the configuration anew"));
        } catch (RuleSyntaxException e) {
            in.defect(1, e);
        }
        return root;
    }

    private static String words(List<String> lines, int line) {
        String words = line <= lines.size() ? lines.get(line - 1).strip() : "";
        return words.substring(0, Math.min(words.length(), 40));
    }

    private static void read(XMLStreamReader xml, List<String> lines, ConfigNode root)
            throws XMLStreamException, RuleSyntaxException {
        Deque<ConfigNode> open = new ArrayDeque<>();
        Deque<String> tags = new ArrayDeque<>();
        open.push(root);
        while (xml.hasNext()) {
            int event = xml.next();
            ConfigNode node = open.element();
            if (event == XMLStreamConstants.START_ELEMENT) {
                if (open.size() > ConfigNode.MOST_DEPTH) {
                    throw new RuleSyntaxException(
                            1, xml.getLocalName(), "is nested too deep; nest it less");
                }
                String tag = xml.getLocalName();
                String name = xml.getAttributeValue(null, "name");
                int line = xml.getLocation().getLineNumber();
                int column = column(lines, line, xml.getLocation().getColumnNumber(), tag);
                tags.push(tag);
                open.push(
                        tag.equals("member")
                                ? node
                                : node.add(
                                        tag.equals("entry") && name != null ? name : tag,
                                        line,
                                        column));
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                open.pop();
                tags.pop();
            } else if (event == XMLStreamConstants.CHARACTERS && !xml.isWhiteSpace()) {
                int line = xml.getLocation().getLineNumber();
                String tag = tags.isEmpty() ? "" : tags.element();
                node.add(
                        xml.getText().strip(),
                        line,
                        column(lines, line, xml.getLocation().getColumnNumber(), tag));
            }
        }
    }

    /** The column of a tag that ends, or is followed, at a place. */
    private static int column(List<String> lines, int line, int end, String tag) {
        if (line < 1 || line > lines.size()) {
            return 1;
        }
        return 1 + Math.max(0, lines.get(line - 1).lastIndexOf("<" + tag, Math.max(0, end - 1)));
    }
}
