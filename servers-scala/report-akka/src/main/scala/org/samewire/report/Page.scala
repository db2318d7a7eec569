package org.samewire.report

import akka.util.ByteString
import java.util.Base64

/** The page. */
object Page {
  // #region report.template
  def apply(todos: Seq[Todo], image: ByteString): ByteString = {
    val completed = todos.count(_.completed)
    // Rounded half up.
    val percentage =
      if (todos.isEmpty) 0 else (200 * completed + todos.size) / (2 * todos.size)
    val numbers =
      s"""<div><dt>Total</dt><dd>${todos.size}</dd></div>
         |<div><dt>Completed</dt><dd>$completed</dd></div>
         |<div><dt>Open</dt><dd>${todos.size - completed}</dd></div>
         |<div><dt>Done</dt><dd>$percentage%</dd></div>
         |</dl>
         |<progress aria-label="Done" max="100" value="$percentage"></progress>
         |<table>
         |<thead>
         |<tr><th scope="col">Id</th><th scope="col">Title</th><th scope="col">State</th></tr>
         |</thead>
         |<tbody>
         |""".stripMargin
    ByteString(Top + numbers + todos.map(row).mkString + BeforeImage) ++
      ByteString(Base64.getEncoder.encode(image.toArray)) ++
      Bottom
  }

  private def row(todo: Todo): String = {
    val state = if (todo.completed) "completed" else "open"
    s"<tr><td>${todo.id}</td><td>${escape(todo.title)}</td><td>$state</td></tr>\n"
  }

  private def escape(text: String): String = {
    val escaped = new StringBuilder(text.length + 16)
    text.foreach {
      case '&'  => escaped.append("&amp;")
      case '<'  => escaped.append("&lt;")
      case '>'  => escaped.append("&gt;")
      case '"'  => escaped.append("&quot;")
      case '\'' => escaped.append("&#39;")
      case c    => escaped.append(c)
    }
    escaped.toString
  }

  private val Top =
    """<!DOCTYPE html>
      |<html lang="en">
      |<head>
      |<meta charset="utf-8">
      |<meta name="viewport" content="width=device-width, initial-scale=1">
      |<title>Report</title>
      |<style>
      |:root { color-scheme: light dark; accent-color: teal; }
      |body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
      |dl { display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin: 0; }
      |dt, th, figcaption { opacity: 0.7; font-size: 0.875rem; font-weight: normal; }
      |dd { margin: 0; font-size: 1.75rem; line-height: 1.2; }
      |progress { width: 20rem; max-width: 90vw; margin: 1rem 0; }
      |table { border-collapse: collapse; margin: 1rem 0 2rem; min-width: 20rem; }
      |th, td { padding: 0.3rem 2rem 0.3rem 0; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
      |td:nth-child(2) { overflow-wrap: anywhere; white-space: pre-wrap; }
      |td:first-child, dd { font-variant-numeric: tabular-nums; }
      |figure { margin: 0; }
      |img { max-width: 90vw; height: auto; border-radius: 0.5rem; }
      |</style>
      |</head>
      |<body>
      |<main>
      |<h1>Report</h1>
      |<dl>
      |""".stripMargin

  private val BeforeImage =
    """</tbody>
      |</table>
      |<figure>
      |<img src="data:image/png;base64,""".stripMargin

  private val Bottom =
    ByteString("""" alt="Spheres on a checkered plane" width="320" height="240">
      |<figcaption>Rendered for this report</figcaption>
      |</figure>
      |</main>
      |</body>
      |</html>
      |""".stripMargin)
  // #endregion report.template
}
