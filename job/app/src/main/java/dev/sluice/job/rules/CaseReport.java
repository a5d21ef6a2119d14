package dev.sluice.job.rules;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.cases.CaseResult;
import dev.sluice.policy.io.SluiceException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Results of cases as JSON, and as JUnit XML for servers of continuous integration. */
public final class CaseReport {
    private CaseReport() {}

    /** The members of a result that {@code docs/json.md} lists. */
    public static ObjectNode json(CaseResult result) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("file", result.of().at().file());
        object.put("case_line", result.of().at().line());
        object.put("case", result.of().name());
        object.put("passed", result.passed());
        object.put("expected", result.of().expected());
        object.put("expected_line", result.of().line());
        object.put("outcome", result.outcome());
        object.put("action", result.action());
        object.put("line", result.line() == 0 ? null : Integer.valueOf(result.line()));
        object.put("rule", result.line() == 0 ? null : result.text());
        return object;
    }

    /** Writes a suite of the cases of one file or several. */
    public static void writeJunit(Path to, List<CaseResult> results) {
        StringWriter text = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(text);
            xml.writeStartDocument();
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", "sluice rules test");
            xml.writeAttribute("tests", String.valueOf(results.size()));
            long failures = results.stream().filter(result -> !result.passed()).count();
            xml.writeAttribute("failures", String.valueOf(failures));
            for (CaseResult result : results) {
                xml.writeStartElement("testcase");
                xml.writeAttribute("classname", result.of().at().file());
                xml.writeAttribute("name", result.of().name());
                if (!result.passed()) {
                    xml.writeStartElement("failure");
                    xml.writeAttribute("message", result.describe());
                    xml.writeEndElement();
                }
                xml.writeEndElement();
            }
            xml.writeEndElement();
            xml.writeEndDocument();
        } catch (XMLStreamException e) {
            throw new SluiceException(to + ": cannot be written as XML: " + e.getMessage(), e);
        }
        TextFiles.write(to, text + "\n");
    }
}
