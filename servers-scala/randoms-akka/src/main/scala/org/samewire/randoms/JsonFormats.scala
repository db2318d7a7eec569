package org.samewire.randoms

import spray.json.{DefaultJsonProtocol, RootJsonFormat}

object JsonFormats extends DefaultJsonProtocol {
  implicit val resultFormat: RootJsonFormat[Result] = jsonFormat2(Result.apply)
  implicit val memoryFormat: RootJsonFormat[Memory] = jsonFormat1(Memory.apply)
  implicit val infoFormat: RootJsonFormat[Info] = jsonFormat6(Info.apply)
}
