package dev.sluice.job.lab.plots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class PlotsTest {
    /** The elements of a name in a figure, which must be well-formed. */
    private static List<Element> elements(String figure, String name) throws Exception {
        NodeList all =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(figure)))
                        .getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < all.getLength(); i++) {
            elements.add((Element) all.item(i));
        }
        return elements;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1e-9, 0.07, 1, 6, 7, 99.5, 100, 1_234_567, 1e12})
    void anAxisEndsAtARoundNumberThatNoValueIsBeyond(double most) {
        Scale scale = Scale.upTo(most);
        assertTrue(scale.end() >= most * (1 - 1e-9), scale + " ends at " + scale.end());
        assertTrue(scale.marks() >= 1 && scale.marks() <= 7, scale.toString());
        if (most > 0) {
            assertTrue(scale.end() <= 2.5 * most, scale + " is far longer than " + most);
        }
    }

    @Test
    void aLineGoesThroughItsValues() throws Exception {
        String figure =
                new LinePlot("rate & more", "M/s").line("a <b>", List.of(0, 5, 10)).figure();
        String[] points = elements(figure, "polyline").get(0).getAttribute("points").split(" ");
        assertEquals(3, points.length);
        double bottom = Double.parseDouble(points[0].split(",")[1]);
        double middle = Double.parseDouble(points[1].split(",")[1]);
        double top = Double.parseDouble(points[2].split(",")[1]);
        assertEquals(bottom - middle, middle - top, 0.2);
        assertTrue(top < bottom, figure);
        assertEquals("rate & more", elements(figure, "h3").get(0).getTextContent());
        assertEquals("a <b>, second 1: 0", elements(figure, "title").get(0).getTextContent());
    }

    @Test
    void partsOfAWholeStandOnTopOfEachOther() throws Exception {
        String figure =
                BarPlot.ofParts("cpu", "ns")
                        .run("one", Map.of("a", 3.0))
                        .run("two", Map.of("b", 2.0))
                        .run("three", Map.of("a", 1.0, "b", 4.0))
                        .figure();
        List<Element> bars = elements(figure, "rect");
        assertEquals(6, bars.size());
        double unit = number(bars.get(0), "height") / 3;
        assertEquals(0, number(bars.get(2), "height"), 0.1);
        assertEquals(2 * unit, number(bars.get(3), "height"), 0.2);
        assertEquals(4 * unit, number(bars.get(5), "height"), 0.2);
        assertEquals(
                number(bars.get(4), "y"),
                number(bars.get(5), "y") + number(bars.get(5), "height"),
                0.2);
    }

    @Test
    void valuesSideBySideDoNotOverlap() throws Exception {
        String figure =
                BarPlot.sideBySide("delay", "ms").run("r", Map.of("a", 1.0, "b", 2.0)).figure();
        List<Element> bars = elements(figure, "rect");
        double end = number(bars.get(0), "x") + number(bars.get(0), "width");
        assertTrue(end <= number(bars.get(1), "x") + 0.1, figure);
    }

    private static double number(Element element, String attribute) {
        return Double.parseDouble(element.getAttribute(attribute));
    }
}
