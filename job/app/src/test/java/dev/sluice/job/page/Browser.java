package dev.sluice.job.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.testing.Oracle;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.remote.RemoteWebDriver;

/**
 * Chromium without a window, which shows a file. A class of tests registers it in a static field,
 * or a test starts it for itself; where there is none they are skipped.
 */
public final class Browser implements BeforeAllCallback, AfterAllCallback, AutoCloseable {
    private ChromeDriverService service;
    private RemoteWebDriver driver;

    /**
     * Starts a browser.
     *
     * @param phone whether it is a phone's, 360 pixels wide
     */
    public static Browser start(boolean phone) throws IOException {
        Browser browser = new Browser();
        browser.begin(phone);
        return browser;
    }

    @Override
    public void beforeAll(ExtensionContext tests) throws IOException {
        begin(false);
    }

    @Override
    public void afterAll(ExtensionContext tests) {
        close();
    }

    private void begin(boolean phone) throws IOException {
        Oracle.BROWSER.require();
        Oracle.BROWSER_DRIVER.require();
        ChromeOptions options = new ChromeOptions();
        options.setBinary(onPath("chromium"));
        options.addArguments(
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
        options.addArguments("--window-size=1280,900");
        if (phone) {
            Map<String, Object> screen = Map.of("width", 360, "height", 740, "pixelRatio", 2.0);
            options.setExperimentalOption("mobileEmulation", Map.of("deviceMetrics", screen));
        }
        LoggingPreferences all = new LoggingPreferences();
        all.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", all);
        service =
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(onPath("chromedriver"))
                        .usingAnyFreePort()
                        .build();
        service.start(); // by its path: Selenium looks for no driver, and downloads none
        driver = new RemoteWebDriver(service.getUrl(), options);
        driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
    }

    private static File onPath(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow()
                .toFile();
    }

    /**
     * Opens a page, and waits until it shows its sections.
     *
     * @return milliseconds from the beginning of the navigation to then
     */
    public double open(Path page) {
        driver.get("about:blank");
        driver.get(page.toUri().toString());
        return settle();
    }

    /**
     * Waits until the page shows what its address names.
     *
     * @return milliseconds from the beginning of the navigation to then
     */
    public double settle() {
        return ((Number)
                        driver.executeAsyncScript(
                                """
                                const done = arguments[0];
                                (function wait() {
                                  if (document.body?.dataset.shown === location.hash) { done(performance.now()); }
                                  else { requestAnimationFrame(wait); }
                                })();
                                """))
                .doubleValue();
    }

    /** Waits until an element of a selector is there. */
    public void await(String selector) {
        driver.executeAsyncScript(
                """
                const [selector, done] = arguments;
                (function wait() {
                  if (document.querySelector(selector)) { done(); }
                  else { requestAnimationFrame(wait); }
                })();
                """,
                selector);
    }

    /** Clicks on a link to another place of the page. */
    public void follow(WebElement link) {
        link.click();
        settle();
    }

    /** Runs a script that returns a value. */
    public Object script(String text, Object... arguments) {
        return driver.executeScript(text, arguments);
    }

    /** The elements of a selector that can be seen. */
    public List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector)).stream()
                .filter(WebElement::isDisplayed)
                .toList();
    }

    /** The texts of the elements of a selector that can be seen, at one time. */
    @SuppressWarnings("unchecked")
    public List<String> texts(String selector) {
        return (List<String>)
                script(
                        """
                        return [...document.querySelectorAll(arguments[0])]
                          .filter(element => element.checkVisibility())
                          .map(element => element.innerText.trim());
                        """,
                        selector);
    }

    /** The cells of the rows that the chosen tab shows. */
    @SuppressWarnings("unchecked")
    public List<List<String>> rows() {
        return (List<List<String>>)
                script(
                        """
                        return [...document.querySelectorAll(".rows tbody tr")]
                          .filter(row => row.offsetParent)
                          .map(row => [...row.cells].map(cell => cell.innerText));
                        """);
    }

    /** The cells of a column that the chosen tab shows. */
    @SuppressWarnings("unchecked")
    public List<String> column(String name) {
        return (List<String>)
                script(
                        """
                        return [...document.querySelectorAll(".rows tbody td")]
                          .filter(cell => cell.offsetParent && cell.dataset.name === arguments[0])
                          .map(cell => cell.innerText);
                        """,
                        name);
    }

    /** Number of rows that the chosen tab has on all its pages. */
    public int rowCount() {
        return Integer.parseInt(
                texts(".pages .status")
                        .get(0)
                        .replaceFirst(".* of ([\\d,]+).*", "$1")
                        .replace(",", ""));
    }

    /** The numbers and words above the tabs, by their names. */
    @SuppressWarnings("unchecked")
    public Map<String, String> facts() {
        return (Map<String, String>)
                script(
                        """
                        return Object.fromEntries([...document.querySelectorAll("#facts div")]
                          .map(fact => [...fact.children].map(part => part.innerText)));
                        """);
    }

    /** Clicks on a tab. */
    public void tab(String name) {
        follow(
                all("[role=tab]").stream()
                        .filter(tab -> tab.getText().equals(name))
                        .findFirst()
                        .orElseThrow());
        assertEquals(List.of(name), texts("section h2"));
    }

    /** Clicks on a button. */
    public void press(String name) {
        all("button").stream()
                .filter(button -> button.getText().equals(name))
                .findFirst()
                .orElseThrow()
                .click();
    }

    /** Messages on the console that are no mere information. */
    public List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .toList();
    }

    @Override
    public void close() {
        if (driver != null) {
            driver.quit();
        }
        if (service != null) {
            service.stop();
        }
    }
}
